"""Every kernel of the tree as YAML and as TOML: the same program as from JSON.

usage: kernel_text_test.py HOLOGRAM KERNELS
"""

from __future__ import annotations

import glob
import json
import os
import subprocess
import sys
import tempfile
from typing import Any


def yaml_block(value: Any, indent: int) -> str:
    """Block style, strings in quotes: what a person or a library would write."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        lines = []
        for key, inner in value.items():
            nested = isinstance(inner, (dict, list)) and inner
            lines.append(f"{pad}{key}:" + ("\n" if nested else " ") + yaml_block(inner, indent + 1))
        return "".join(lines)
    if isinstance(value, list) and value:
        lines = []
        for inner in value:
            nested = isinstance(inner, (dict, list)) and inner
            lines.append(f"{pad}-" + ("\n" if nested else " ") + yaml_block(inner, indent + 1))
        return "".join(lines)
    return json.dumps(value) + "\n"


def toml_value(value: Any) -> str:
    if isinstance(value, dict):
        fields = [f"{k} = {toml_value(v)}" for k, v in value.items() if v is not None]
        return "{" + ", ".join(fields) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value)


def toml(document: dict[str, Any]) -> str:
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in document.items())


def main() -> int:
    command = os.path.abspath(sys.argv[1])
    environment = {**os.environ, "HOLOGRAM_PYTHON": sys.executable}

    def compiled(path: str, form: str, folder: str) -> str:
        result = subprocess.run(
            [command, "compile", path, "--emit", form],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert result.returncode == 0, f"{path}: {result.stderr}"
        return result.stdout

    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(
            glob.glob(os.path.join(os.path.abspath(sys.argv[2]), "**", "*.py"), recursive=True)
        ):
            text = compiled(path, "json", folder)
            document = json.loads(text)
            forms = {
                "k.json": text,
                "flow.yml": text,
                "k.yaml": yaml_block(document, 0),
                "k.toml": toml(document),
            }
            programs = []
            for name, form in forms.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(form)
                programs.append(compiled(name, "asm", folder))
            assert programs[0] and all(program == programs[0] for program in programs), path
            count += 1
    assert count >= 10, count
    print(f"ok, {count} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
