# HOLOGRAM_PORTABLE: what is installed runs on every Linux with glibc 2.34 (manylinux_2_34), whatever
# C++ library, libpng, libyaml or zstd is there. Only the link differs: objects are those of other
# builds. tests/wheels reads the result (scripts/check_portable.py).
#   hologram_portable   libraries of C++ and of others go in statically, with hidden symbols; functions
#                       of a later glibc that they ask for are replaced (old_glibc.c)
include_guard()
option(HOLOGRAM_PORTABLE "Link what is installed for every Linux with glibc 2.34" OFF)

add_library(hologram_portable INTERFACE)
if(HOLOGRAM_PORTABLE)
  add_library(hologram_old_glibc OBJECT ${CMAKE_CURRENT_LIST_DIR}/old_glibc.c)
  target_link_libraries(hologram_portable INTERFACE $<TARGET_OBJECTS:hologram_old_glibc>)
  target_link_options(hologram_portable INTERFACE -static-libstdc++ -static-libgcc
    LINKER:--exclude-libs,ALL LINKER:--gc-sections LINKER:--as-needed -s)
  # Functions of the same code are one: 2 % of a wheel. Only gold folds those alone whose address
  # nobody takes.
  include(CheckLinkerFlag)
  check_linker_flag(CXX "-fuse-ld=gold;LINKER:--icf=safe" HOLOGRAM_HAS_GOLD)
  if(HOLOGRAM_HAS_GOLD)
    target_link_options(hologram_portable INTERFACE -fuse-ld=gold LINKER:--icf=safe)
  endif()
  # The archives of others, found by find_library and find_package from here on.
  list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
