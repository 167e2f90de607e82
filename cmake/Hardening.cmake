# What makes an error in our own code harder to use, in everything that is built here; tests/hardening
# reads it from the finished files. Options of the directory, so that installed targets ask nothing of others.
#   relocations are done before main and read-only afterwards; no executable stack; executables at any address
#   a canary above arrays on the stack; checked calls of libc where sizes are known
#   targets of indirect calls and returns marked for CET, where the compiler knows it
include_guard()
include(CheckCXXCompilerFlag)
include(CheckPIESupported)

check_pie_supported(LANGUAGES C CXX)
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
add_compile_options(-fstack-protector-strong)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  check_cxx_compiler_flag(-fcf-protection=full HOLOGRAM_HAS_CET)
  if(HOLOGRAM_HAS_CET)
    add_compile_options(-fcf-protection=full)
  endif()
endif()
# The checked functions need an optimised build, and would hide errors from the sanitizers. Level 3
# also knows sizes that are computed at run time; GCC has it from 12 on.
if(NOT HOLOGRAM_SANITIZE)
  set(level 3)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
    set(level 2)
  endif()
  add_compile_options($<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE>
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=${level}>)
endif()
