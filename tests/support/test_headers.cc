// Compiled for its precompiled header (tests/CMakeLists.txt).
