"""Makes what the build needs of operations/*.py. CMake runs it: __main__.py."""
