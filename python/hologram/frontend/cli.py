"""The command line: `python3 -m hologram.frontend FILE.py [--entry NAME] [-o OUT.json]`.

Exit status: 0 done, 1 for every error in the file or the names given, 2 for a wrong command line.
Standard output gets the JSON and nothing else. A file named by -o appears only when all went well.
For the command there is `--batch [--entry=NAME] FILE...`, since most of the time of one file is
Python's start. Of each file standard output gets a line "STATUS JSON_BYTES MESSAGE_BYTES", the
JSON, also of kernels beside which others have errors, and the messages. The status is 0 or 1, as
above.
"""

from __future__ import annotations

import sys

from hologram.frontend.document import CompileError, compile_file
from hologram.frontend.json_writer import to_json

USAGE = "usage: python3 -m hologram.frontend FILE.py [--entry NAME] [-o OUT.json]\n"


class UsageError(Exception):
    """What is wrong with the command line."""


class Options:
    """The command line, read."""

    def __init__(self, arguments: list[str]) -> None:
        self.file = ""
        self.entry: str | None = None
        self.output: str | None = None
        self.help = False
        rest = iter(arguments)
        for argument in rest:
            name, equals, value = argument.partition("=")
            if argument in ("-h", "--help"):
                self.help = True
            elif name in ("--entry", "-o", "--output"):
                if not equals:
                    value = next(rest, "")
                if not value:
                    raise UsageError(f"{name} needs a value")
                if name == "--entry":
                    self.entry = value
                else:
                    self.output = value
            elif argument.startswith("-") and argument != "-":
                raise UsageError(f"unknown option {argument}")
            elif self.file:
                raise UsageError(f"one file at a time: {self.file} and {argument} are given")
            else:
                self.file = argument
        if not self.file and not self.help:
            raise UsageError("no file given")


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit status."""
    if arguments[:1] == ["--batch"]:
        return compile_batch(arguments[1:])
    try:
        options = Options(arguments)
    except UsageError as error:
        _complain(f"hologram: error: {error}\n{USAGE}")
        return 2
    if options.help:
        sys.stdout.write(USAGE)
        return 0
    try:
        text = compile_file(options.file, options.entry) + "\n"
        if options.output is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            write_file(options.output, text, options.file)
    except CompileError as error:
        _complain(str(error))
        return 1
    except OSError as error:
        where = options.output or "standard output"
        _complain(f"hologram: error: cannot write {where}: {(error.strerror or '').lower()}\n")
        import os

        if options.output is None:  # the interpreter would flush, fail and report it once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def compile_batch(arguments: list[str]) -> int:
    """Writes the records of several files; the exit status says only whether that was possible."""
    entry = None
    if arguments and arguments[0].startswith("--entry="):
        entry = arguments.pop(0).partition("=")[2]
    for file in arguments:
        status, text, messages = 0, "", ""
        try:
            text = compile_file(file, entry) + "\n"
        except CompileError as error:
            status, messages = 1, str(error)
            if error.rest is not None:
                text = to_json(error.rest) + "\n"
        parts = [part.encode("utf-8", "backslashreplace") for part in (text, messages)]
        sys.stdout.buffer.write(b"%d %d %d\n" % (status, *map(len, parts)))
        sys.stdout.buffer.write(b"".join(parts))
    sys.stdout.buffer.flush()
    return 0


def _complain(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def write_file(path: str, text: str, source: str) -> None:
    """Writes beside the target and renames, so that no half file is ever seen."""
    import os  # here, as standard output needs it not

    if os.path.exists(path):
        if os.path.samefile(path, source):
            raise CompileError(f"hologram: error: -o {path} would overwrite the kernel file\n")
        if not os.path.isfile(path):  # a device or a pipe is written, never replaced
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            return
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "x", encoding="ascii") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
