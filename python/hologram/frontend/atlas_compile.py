"""The command `atlas-compile INPUT [-o FILE] [-v]`: a kernel file to its JSON.

The output is INPUT with the suffix .json if -o names no other. Exit status: 0 done, 1 for every
error in the file or no kernel in it, 2 for a wrong command line. What was written is said on
standard output, with -v also what was found; errors go to standard error.
"""

from __future__ import annotations

import json
import os
import sys

from hologram.frontend.cli import write_file
from hologram.frontend.document import CompileError, compile_file

USAGE = "usage: atlas-compile INPUT [-o FILE | --output FILE] [-v | --verbose]\n"


class UsageError(Exception):
    """What is wrong with the command line."""


class Options:
    """The command line, read."""

    def __init__(self, arguments: list[str]) -> None:
        self.file = ""
        self.output = ""
        self.verbose = False
        self.help = False
        rest = iter(arguments)
        for argument in rest:
            name, equals, value = argument.partition("=")
            if argument in ("-h", "--help"):
                self.help = True
            elif argument in ("-v", "--verbose"):
                self.verbose = True
            elif name in ("-o", "--output"):
                self.output = value if equals else next(rest, "")
                if not self.output:
                    raise UsageError(f"{name} needs a value")
            elif argument.startswith("-"):
                raise UsageError(f"unknown option {argument}")
            elif self.file:
                raise UsageError(f"one file at a time: {self.file} and {argument} are given")
            else:
                self.file = argument
        if not self.file and not self.help:
            raise UsageError("no file given")
        if not self.output:
            self.output = os.path.splitext(self.file)[0] + ".json"


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    try:
        options = Options(sys.argv[1:] if arguments is None else arguments)
    except UsageError as error:
        sys.stderr.write(f"atlas-compile: error: {error}\n{USAGE}")
        return 2
    if options.help:
        sys.stdout.write(USAGE)
        return 0
    try:
        text = compile_file(options.file, None)
        names = [kernel["name"] for kernel in json.loads(text)["kernels"]]
        if options.verbose:
            sys.stdout.write(f"Found {len(names)} kernel(s)\n")
            sys.stdout.writelines(f"Compiling {name}...\n" for name in names)
        write_file(options.output, text + "\n", options.file)
    except CompileError as error:
        sys.stderr.write(str(error))
        return 1
    except OSError as error:
        reason = (error.strerror or "").lower()
        sys.stderr.write(f"hologram: error: cannot write {options.output}: {reason}\n")
        return 1
    what = names[0] if len(names) == 1 else f"{len(names)} kernels"
    sys.stdout.write(f"Compiled {what} -> {options.output}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
