"""A set-user-ID program takes nothing from the environment: no code, no files, no choice.

Each variable is set for the program once as it is, where it must show its effect (else the test
would see nothing in the other case either), and once with set-user-ID root, started by nobody. The
variables are those of the table of docs/environment.md that the library reads, all of them. The
command with more rights starts no other program: PATH, and what those programs read, would choose it.

usage: privileges_test.py PROGRAM EVIL_PLUGIN MAKE_BUNDLE KERNEL_LIBRARY_FOLDER ENVIRONMENT_MD
    COMMAND PYTHON_FOLDER
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NOBODY = 65534


def are_all(variables: set[str], page: str) -> bool:
    """Whether these are the variables that the library reads, by the page."""
    text = pathlib.Path(page).read_text("utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \| \w+ \| library \|", text, re.MULTILINE))
    # The folder of HOLOGRAM_PROFILE has an effect with that alone.
    different = listed ^ variables ^ {"HOLOGRAM_PROFILE_DIR"}
    if different:
        print(f"the variables differ from those of {page}: {sorted(different)}")
    return not different


def effects(
    command: list[str], environment: dict[str, str], folder: pathlib.Path, user: int | None
) -> tuple[dict[str, str], set[str]]:
    """The lines that the program prints, by their first word, and the files that it leaves."""
    spoils = folder / "spoils"
    spoils.mkdir(mode=0o755)
    try:
        run = subprocess.run(
            command,
            env={name: value.replace("SPOILS", str(spoils)) for name, value in environment.items()},
            stdout=subprocess.PIPE,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
            check=False,
            text=True,
        )
        assert run.returncode == 0, f"{command} ends with {run.returncode}"
        left = {str(path.relative_to(spoils)) for path in spoils.rglob("*")}
    finally:
        shutil.rmtree(spoils)
    return dict(line.split(" ", 1) for line in run.stdout.splitlines()), left


KERNEL = """from hologram.lang import DeviceArray, f32, get_global_id


def twice(x: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        x[i] = 2.0 * x[i]
"""


def command_failures(command: str, python: str, folder: pathlib.Path) -> int:
    """Of the command, which runs `python3` and `cc` of PATH, and which HOLOGRAM_PYTHON and CC name."""
    (folder / "share" / "hologram").mkdir(parents=True)
    (folder / "share" / "hologram" / "python").symlink_to(python)
    (folder / "bin").mkdir()
    plain, privileged = folder / "bin" / "plain", folder / "bin" / "privileged"
    for copy, mode in ((plain, 0o755), (privileged, 0o4755)):
        shutil.copy(command, copy)
        copy.chmod(mode)
    for name in ("python3", "cc", "other"):
        evil = folder / "evil" / name
        evil.parent.mkdir(exist_ok=True)
        evil.write_text('#!/bin/sh\ntouch "$MARK"\nexit 1\n', "utf-8")
        evil.chmod(0o755)
    plugin = pathlib.Path(command).parent.parent / "lib" / "libhologram_jit.so"
    (folder / "lib").mkdir()
    (folder / "lib" / plugin.name).symlink_to(plugin)
    source, json = folder / "k.py", folder / "k.json"
    source.write_text(KERNEL, "utf-8")
    subprocess.run([command, "compile", source, "-o", json], check=True)
    marks = folder / "marks"
    marks.mkdir()
    marks.chmod(0o777)
    mark = marks / "mark"
    usual = "/usr/bin:/bin"
    before = {"PATH": f"{folder}/evil:{usual}"}
    link = ["compile", str(json), "--emit", "so", "-o", str(marks / "k.so")]
    runs = [
        (["verify", str(source)], before),
        (["verify", str(source)], {"PATH": usual, "HOLOGRAM_PYTHON": f"{folder}/evil/other"}),
    ]
    if plugin.exists():
        runs += [(link, before), (link, {"PATH": usual, "CC": f"{folder}/evil/other"})]
    else:
        print("without the compiler plugin the command links nothing: not tested")
    failures = 0
    for arguments, environment in runs:
        found = []
        for copy, user in ((plain, None), (privileged, NOBODY)):
            run = subprocess.run(
                [str(copy), *arguments],
                env={**environment, "MARK": str(mark)},
                capture_output=True,
                user=user,
                group=user,
                extra_groups=None if user is None else [],
                check=False,
                text=True,
            )
            found.append(mark.exists())
            mark.unlink(missing_ok=True)
        if found != [True, False] or "has more rights than its user" not in run.stderr:
            print(
                f"{arguments} with {environment}: ran it plain, privileged: {found}: {run.stderr}"
            )
            failures += 1
    print(f"{len(runs)} runs of the set-user-ID command: {failures} failures")
    return failures


def main() -> int:
    program, evil, make_bundle, libraries, page, command, python = sys.argv[1:]
    if os.geteuid() != 0:
        print("SKIPPED: only root can make a set-user-ID program")
        return 0
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        if os.statvfs(folder).f_flag & os.ST_NOSUID:
            print("SKIPPED: /var/tmp is mounted nosuid")
            return 0
        folder.chmod(0o755)
        bundle = folder / "kernels" / "vector_add.holo"
        bundle.parent.mkdir()
        native = folder / "native.holo"
        subprocess.run([make_bundle, bundle, "plain"], check=True, stdout=subprocess.PIPE)
        made = subprocess.run([make_bundle, native, "native"], check=True, stdout=subprocess.PIPE)
        plain, privileged = folder / "plain", folder / "privileged"
        for copy, mode in ((plain, 0o755), (privileged, 0o4755)):
            shutil.copy(program, copy)
            copy.chmod(mode)  # after the owner: a change of that clears the bit
        arguments = [str(native), made.stdout.decode().strip()]
        shutil.copytree(libraries, folder / "libraries")

        # The program looks for `kernels` beside itself, so that folder is found without a variable.
        user = folder / "user"
        bundle.parent.rename(user)
        cases = {
            "HOLOGRAM_JIT": evil,
            "HOLOGRAM_STDLIB": str(user / "vector_add.holo"),
            "HOLOGRAM_KERNEL_PATH": str(user),
            "HOLOGRAM_NATIVE_KERNEL_PATH": str(folder / "libraries"),
            "HOLOGRAM_CACHE_DIR": "SPOILS/cache",
            "XDG_CACHE_HOME": "SPOILS",
            "HOME": "SPOILS",
            "HOLOGRAM_PROFILE": "jitdump",
            "HOLOGRAM_TIERED": "bogus",
            "HOLOGRAM_CPU_LEVEL": "bogus",
            "HOLOGRAM_NUM_THREADS": "7",
            "OMP_NUM_THREADS": "6",
            "HOLOGRAM_CUDA": evil,
            "HOLOGRAM_OPENCL": evil,
            "HOLOGRAM_TRACE": "SPOILS/trace.json",
        }
        base = {
            "PATH": "/usr/bin:/bin",
            "HOLOGRAM_TEST_MARK": "SPOILS/mark",
            "HOLOGRAM_PROFILE_DIR": "SPOILS",
        }
        if not are_all(set(cases), page):
            return 1
        quiet = dict(base, HOLOGRAM_JIT="/nonexistent", HOLOGRAM_STDLIB="/nonexistent")
        quiet["HOLOGRAM_CACHE_DIR"] = ""
        has_compiler = effects([str(plain), *arguments], dict(base), folder, None)[0]["compiler"]
        without = effects([str(privileged), *arguments], base, folder, NOBODY)
        failures = command_failures(command, python, folder)
        if without[0]["secure"] != "1 euid 0" or without[1]:
            print(f"the program has no more rights than its user: {without}")
            failures += 1
        for variable, value in cases.items():
            environment = dict(quiet)
            if variable in ("XDG_CACHE_HOME", "HOME"):
                del environment["HOLOGRAM_CACHE_DIR"]
            needs_compiler = variable in ("HOLOGRAM_CACHE_DIR", "XDG_CACHE_HOME", "HOME")
            needs_compiler |= variable == "HOLOGRAM_TIERED"
            if needs_compiler:
                del environment["HOLOGRAM_JIT"]
            control = effects([str(plain), *arguments], environment, folder, None)
            environment[variable] = value
            as_it_is = effects([str(plain), *arguments], environment, folder, None)
            if as_it_is == control and not (needs_compiler and has_compiler == "0"):
                print(f"{variable} has no effect without more rights: the test tests nothing")
                failures += 1
            secure = effects([str(privileged), *arguments], environment, folder, NOBODY)
            if secure != without:
                print(f"{variable} is heard:\n  {secure}\n  without it\n  {without}")
                failures += 1
        print(f"{len(cases)} variables in a set-user-ID program: {failures} failures")
        return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
