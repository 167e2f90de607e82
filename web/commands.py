"""The commands of the pages that the playground opens: `hologram run`, `verify --explain` and
`compile --emit` of a kernel file that the page shows, with its arguments, on the tab that shows
what the command prints.

A page is read from its start as a shell would: files of Python blocks, arrays that `python3 -c`
saves, edits by `sed -i`. A command with more than that, such as a stream or a file that the page
does not make, is not opened.
"""

from __future__ import annotations

import itertools
import re
import shlex
from dataclasses import dataclass, field

from continued import array_of

BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<kind>python|console)(?P<words>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
FORMS = {"asm": "asm", "json": "json", "circuit": "circuit", "calls": "calls"}
# Options that change neither the launch nor its results.
QUIET = {"--level": 1, "--time": 0}


@dataclass(frozen=True)
class Command:
    """`end` is where the page goes on behind its block. Arguments are expressions by name."""

    page: str
    block: int
    number: int  # in its block
    end: int
    file: str
    source: str
    view: str = "result"
    entry: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    grid: str = ""
    lanes: str = ""  # of a block

    @property
    def id(self) -> str:
        return f"doc-{self.page}-command-{self.block}-{self.number}"


def words_of(line: str) -> list[str]:
    """Those of the first command of a line, without what follows it: pipes and redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set("();<>|&"):
                return words[:-1] if word[0] == ">" and words[-1:] == ["2"] else words
            words.append(word)
    except ValueError:  # a quote without an end
        return []
    return words


class Shell:
    """What the commands of a page have made so far."""

    def __init__(self) -> None:
        self.sources: dict[str, str] = {}
        self._arrays: dict[str, str] = {}
        self._bundles: dict[str, str] = {}  # the file that each is made of

    def run(self, line: str) -> dict | None:
        """The fields of a Command, if the playground opens it."""
        words = words_of(line)
        if words[:2] == ["python3", "-c"] and len(words) == 3:
            return self._save(words[2])
        if words[:2] == ["sed", "-i"] and len(words) == 4:
            return self._edit(words[2], words[3])
        if words[:1] != ["hologram"] or len(words) < 3:
            return None
        known = {"run": self._launch, "verify": self._verify, "compile": self._compile}
        made = known[words[1]](words[2:]) if words[1] in known else None
        return None if made is None or made["file"] not in self.sources else made

    def _save(self, text: str) -> None:
        try:
            saved = array_of(text)
        except SyntaxError:
            return
        if saved is not None:
            self._arrays[saved[0]] = saved[1]

    def _edit(self, script: str, file: str) -> None:
        """`s/A/B/` and `/A/d`, of texts without patterns. Anything else makes the file unknown."""
        text = self.sources.pop(file, None)
        parts = script.split("/")
        plain = [re.sub(r"\\(.)", r"\1", part) for part in parts]
        if text is None or re.search(r"(?<!\\)[.*\[\]^$]", parts[1]):
            return
        if parts[0] == "s" and len(parts) == 4 and parts[3] == "":
            self.sources[file] = text.replace(plain[1], plain[2], 1)
        elif parts[0] == "" and parts[2:] == ["d"]:
            lines = text.splitlines(keepends=True)
            self.sources[file] = "".join(line for line in lines if plain[1] not in line)

    def _verify(self, words: list[str]) -> dict | None:
        rest = [word for word in words if word not in ("--explain", "--level", "v2", "v3", "v4")]
        if "--explain" not in words or len(rest) != 1:
            return None
        return {"file": rest[0], "view": "explain"}

    def _compile(self, words: list[str]) -> dict | None:
        files = [word for word in words if word.endswith(".py")]
        options = dict(itertools.pairwise(words))
        if "-o" in options and len(files) == 1:
            self._bundles[options["-o"]] = files[0]
        form = options.get("--emit", "")
        if len(files) != 1 or form not in FORMS or len(words) != 3:
            return None
        return {"file": files[0], "view": FORMS[form]}

    def _launch(self, words: list[str]) -> dict | None:
        made: dict = {"file": self._bundles.get(words[0], words[0]), "arguments": {}}
        arguments = made["arguments"]
        given = iter(words[1:])
        for option in given:
            if option in QUIET:
                for _ in range(QUIET[option]):
                    next(given, "")
                continue
            value = next(given, "")
            name, _, text = value.partition("=")
            if option == "--in" and text in self._arrays:
                arguments[name] = self._arrays[text]
            elif option == "--out":
                shape = text.split(":")[2:]
                if shape:
                    arguments.setdefault(name, f"zeros({', '.join(shape[0].split('x'))})")
            elif option == "--set":
                arguments[name] = text
            elif option in ("--grid", "--block", "--entry"):
                made[{"--block": "lanes"}.get(option, option[2:])] = value
            else:
                return None
        return made


def commands_of(page: str, text: str) -> list[Command]:
    shell, found = Shell(), []
    for block, match in enumerate(BLOCK.finditer(text), 1):
        lines = [line.removeprefix(match["indent"]) for line in match["text"].splitlines(True)]
        if match["kind"] == "python":
            file = re.search(r"file=(\S+)", match["words"])
            if file is not None:
                shell.sources[file[1]] = "".join(lines)
            continue
        number = 0
        for line in lines:
            made = shell.run(line[2:].rstrip("\n")) if line.startswith("$ ") else None
            if made is None:
                continue
            number += 1
            source = shell.sources[made["file"]]
            found.append(Command(page, block, number, match.end() + 1, source=source, **made))
    return found
