"""Functions of the kernel language that are written in it, one family a file.

Nothing imports these files: they are read as kernel files are. scripts/library_document.py writes
all of them into src/frontend/library.inc, from which the compiler takes what a kernel calls;
hologram.simulator translates the same sources. Names that end in `__f32` are forms of a function
for the types of its arguments (library.h), names that begin with `_` are for the others here.
"""
