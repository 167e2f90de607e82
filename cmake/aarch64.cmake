# A build for AArch64 on another machine, by Clang, against the packages of Debian in HOLOGRAM_SYSROOT;
# what it builds runs under qemu. Used by scripts/aarch64.sh.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HOLOGRAM_SYSROOT)
set(CMAKE_SYSROOT ${HOLOGRAM_SYSROOT})
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld-19)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -fuse-ld=lld-19)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -fuse-ld=lld-19)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${HOLOGRAM_SYSROOT})
# Programs of this machine, everything else from there.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
