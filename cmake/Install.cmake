# What `cmake --install` gives: runtime, headers, command, front end, compiler plugin and the CMake
# package. Libraries lie in lib/ on every system: that is where the command and libhologram look for
# the compiler plugin. Tested by tests/package, which builds a project against it after moving it elsewhere.
include(CMakePackageConfigHelpers)

install(TARGETS hologram EXPORT hologramTargets
  LIBRARY DESTINATION lib
  ARCHIVE DESTINATION lib
  INCLUDES DESTINATION include)
install(DIRECTORY include/hologram DESTINATION include)
install(FILES LICENSE DESTINATION share/doc/hologram)

if(HOLOGRAM_ENABLE_COMPILER)
  # The command looks for the plugin in ../lib and for the front end in ../share/hologram/python.
  set_target_properties(hologram_cli PROPERTIES EXPORT_NAME command)
  set_target_properties(hologram_jit PROPERTIES EXPORT_NAME compiler)
  install(TARGETS hologram_cli EXPORT hologramTargets RUNTIME DESTINATION bin)
  # An export of its own: the compiler is a package of its own where wheels are installed.
  install(TARGETS hologram_jit EXPORT hologramCompiler
    LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
  if(TARGET hologram_duckdb)
    install(FILES ${PROJECT_BINARY_DIR}/lib/hologram.duckdb_extension DESTINATION lib)
  endif()
  install(TARGETS hologram_tvm_ffi_runtime LIBRARY DESTINATION lib)
  install(FILES python/atlas_kernel.py DESTINATION share/hologram/python)
  install(DIRECTORY python/hologram DESTINATION share/hologram/python
    PATTERN __pycache__ EXCLUDE)

  set(package lib/cmake/hologram)
  install(EXPORT hologramTargets NAMESPACE hologram:: DESTINATION ${package})
  install(EXPORT hologramCompiler NAMESPACE hologram:: DESTINATION ${package})
  configure_package_config_file(cmake/hologramConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/hologramConfig.cmake INSTALL_DESTINATION ${package})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/hologramConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/package/hologramConfig.cmake
    ${PROJECT_BINARY_DIR}/package/hologramConfigVersion.cmake cmake/HologramAddKernels.cmake
    DESTINATION ${package})
endif()

# `make package`: everything above, as .tar.gz for any Linux of glibc 2.34 and as .deb.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_CONTACT "The hologram developers <hologram@invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Numeric kernels written in Python, shipped as small verified files")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/dist)
set(CPACK_PACKAGE_FILE_NAME hologram-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3)  # where kernels are compiled
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/prerm)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
