# hologram_add_kernels(<target> SOURCES a.py b.py [NAME name] [ENTRY kernel] [CONSTANTS R=1,2 ...]
#                      [CANONICAL] [EMBED])
#
# Compiles kernels when <target> is built and embeds the hash by which <target> trusts them:
#   <name>.holo        all kernels of the sources, with native code; lies beside the executable
#   <name>.json        its manifest: names, ids, parameters, sizes
#   <name>_kernels.h   namespace <name>_kernels { file, hash }, on <target>'s include path
# so that  exec.load_beside(<name>_kernels::file, <name>_kernels::hash)  is all a program says.
# EMBED puts the bundle into the header too, as a constexpr array in static storage, with a list of
# its programs: exec.load_static(<name>_kernels::bundle, <name>_kernels::hash)  reads no file. Nothing
# happens when the program starts (docs/registry.md).
# CONSTANTS are values of compile-time parameters, one instance for each value.
# CANONICAL compiles kernels that are circuits by way of their canonical circuit (docs/sigmatics.md).
# The build prints a line for each kernel, with its operations before and after canonicalization and
# its instructions, or why it is no circuit, and their total.
# NAME is <target> if it is not given. When a source, another Python file in its folder (it may import
# helpers), the compiler or the front end changes, all sources are read again, side by side; so is native
# code made, and only of kernels that have changed. A kernel that cannot be compiled fails the build.
include_guard()

function(hologram_add_kernels target)
  cmake_parse_arguments(arg "CANONICAL;EMBED" "NAME;ENTRY" "SOURCES;CONSTANTS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hologram_add_kernels(${target}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "hologram_add_kernels(${target}): SOURCES is missing")
  endif()
  if(NOT arg_NAME)
    set(arg_NAME ${target})
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "hologram_add_kernels(${target}): NAME ${arg_NAME} is no C++ name")
  endif()

  set(sources)
  set(beside)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND sources ${source})
    get_filename_component(source_folder ${source} DIRECTORY)
    list(APPEND beside ${source_folder}/*.py)
  endforeach()
  list(REMOVE_DUPLICATES beside)
  file(GLOB beside CONFIGURE_DEPENDS ${beside})
  set(entry)
  if(arg_ENTRY)
    set(entry --entry ${arg_ENTRY})
  endif()
  foreach(constant IN LISTS arg_CONSTANTS)
    list(APPEND entry --set-const ${constant})
  endforeach()

  set(canonical)
  if(arg_CANONICAL)
    set(canonical --canonical)
  endif()
  set(embed)
  if(arg_EMBED)
    set(embed --embed)
  endif()

  # In this project the command is a target of its own; elsewhere find_package names it.
  if(TARGET hologram_cli)
    set(command $<TARGET_FILE:hologram_cli>)
    set(compiler hologram_cli)
    if(TARGET hologram_jit)
      list(APPEND compiler hologram_jit)
    endif()
    file(GLOB_RECURSE front_end CONFIGURE_DEPENDS ${hologram_SOURCE_DIR}/python/hologram/frontend/*.py)
  else()
    set(command $<TARGET_FILE:hologram::command>)
    set(compiler hologram::command)
    set(front_end)
  endif()
  set(environment)
  if(Python3_EXECUTABLE)
    set(environment HOLOGRAM_PYTHON=${Python3_EXECUTABLE})
  endif()

  # The header has a folder of its own: nothing else gets on the include path.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_kernels)
  set(bundle ${folder}/${arg_NAME}.holo)
  set(header ${folder}/${arg_NAME}_kernels.h)
  set(manifest ${folder}/${arg_NAME}.json)
  file(MAKE_DIRECTORY ${folder})
  # Sources are named relative to the project, so that messages and bundles hold no machine's paths.
  set(relative)
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    list(APPEND relative ${path})
  endforeach()
  add_custom_command(
    OUTPUT ${bundle} ${header} ${manifest}
    COMMAND ${CMAKE_COMMAND} -E env ${environment} ${command} compile ${relative} ${entry}
            -o ${bundle} --header ${header} --manifest ${manifest} --cache ${folder}/cache
            --native all ${canonical} ${embed}
    DEPENDS ${sources} ${beside} ${compiler} ${front_end}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "Compiling kernels of ${target}"
    VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})

  add_custom_command(
    TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${bundle} $<TARGET_FILE_DIR:${target}>
    VERBATIM)
  # A new bundle relinks the target, so that the copy beside it is never an old one.
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${bundle})
endfunction()
