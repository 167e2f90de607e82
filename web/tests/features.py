"""What a user does in the playground besides typing: files, steps, examples of the pages, keys."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import struct
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from blocks import Block
from browser import PageError
from commands import Command
from picture import png_of
from player import SETTLED, Player, check
from whole import has_numpy, reason_of

PROBLEMS = "document.getElementById('problems').textContent"
STEP = "document.querySelector('.stepper')"
FEWEST_BLOCKS, FEWEST_WITHOUT_NUMPY, FEWEST_COMMANDS = 91, 75, 10
Expected = Callable[[dict], dict[str, str]]

# ---- Files


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def drop(player: Player, name: str, data: bytes, argument: str) -> None:
    """A file on the row of an argument; waits for the result or a problem."""
    script = f"""(() => {{
      const text = atob({json.dumps(base64.b64encode(data).decode())});
      const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], {json.dumps(name)}));
      document.getElementById('problems').textContent = '';
      const before = {SETTLED};
      document.getElementById('argument-{argument}').dispatchEvent(
        new DragEvent('drop', {{dataTransfer, bubbles: true, cancelable: true}}));
      return before;
    }})()"""
    before = player.browser.evaluate(script)
    player.browser.wait_for(f"{SETTLED} > {before} || {PROBLEMS} !== ''")


def native_hash(hologram: str, program: dict, files: dict[str, bytes], options: list[str]) -> str:
    """Of the array `out.npy` that the command writes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.py").write_text(program["python"], encoding="utf-8")
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        command = [hologram, "run", "kernel.py", *options]
        subprocess.run(command, cwd=folder, check=True)
        return hashlib.sha256(np.load(f"{folder}/out.npy").tobytes()).hexdigest()


def drop_numbers(player: Player, hologram: str, program: dict, name: str, data: bytes) -> None:
    """Numbers for the first lesson, whose other arguments follow from them."""
    options = ["--in", f"x={name}", "--in", "y=y.npy", "--out", "y=out.npy", "--set", "n=50"]
    files = {name: data, "y.npy": npy(np.zeros(50, np.float32))}
    wanted = native_hash(hologram, program, files, options)
    player.open("first")
    drop(player, name, data, "x")
    check(player.result(), {"hash": wanted, "fault": "", "problems": ""})


def drop_other_type(player: Player) -> None:
    """What has another type is converted where the reader sees it."""
    player.open("first")
    drop(player, "wide.npy", npy(np.linspace(0, 1, 50)), "x")
    text = player.browser.evaluate("document.getElementById('argument-x').value")
    check(text, 'f32(file("wide.npy"))')
    check(player.result()["problems"], "")


def drop_picture(player: Player, hologram: str, program: dict) -> None:
    y, x = np.mgrid[:40, :56]
    pixels = ((x * x + 3 * y * y) % 251).astype(np.uint8)
    zeros = npy(np.zeros((40, 56), np.uint8))
    options = ["--in", "src=photo.png", "--in", "dst=dst.npy", "--out", "dst=out.npy"]
    options += ["--set", "width=56", "--set", "height=40", "--grid", "4,3", "--block", "16,16"]
    files = {"photo.png": png_of(pixels), "dst.npy": zeros}
    wanted = native_hash(hologram, program, files, options)
    player.open("sobel")
    drop(player, "photo.png", files["photo.png"], "src")
    check(player.result(), {"hash": wanted, "fault": "", "problems": ""})


def choose_file(player: Player) -> None:
    """By the button, as a keyboard opens it."""
    player.open("first")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "chosen.npy")
        path.write_bytes(npy(np.ones(20, np.float32)))
        root = player.browser.call("DOM.getDocument")["root"]["nodeId"]
        node = player.browser.call("DOM.querySelector", nodeId=root, selector="#file-x")["nodeId"]
        before = player.browser.evaluate(SETTLED)
        player.browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
        player.browser.wait_for(f"{SETTLED} > {before}")
    check(
        player.browser.evaluate("document.getElementById('argument-x').value"), 'file("chosen.npy")'
    )


def hostile_files() -> dict[str, tuple[bytes, str]]:
    """By name: what is in them, and words of the error."""
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000), }"
    header = text.ljust(117) + "\n"
    huge = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    picture = png_of(np.zeros((4, 4), np.uint8))
    wide = picture[:16] + struct.pack(">II", 60000, 60000) + picture[24:]
    deep = picture[:24] + b"\x10" + picture[25:]
    return {
        "huge.npy": (huge + bytes(64), "do not agree"),
        "objects.npy": (npy(np.array([1 + 2j])), "are not supported"),
        "cut.npy": (npy(np.zeros(9))[:-1], "do not agree"),
        "empty.npy": (b"", "magic"),
        "words.csv": (b"one,two\n3,4\n", "begin a line of headings with #"),
        "shape.csv": (b"# shape 9999999999x9999999999\n1\n", "does not fit"),
        "wide.png": (wide, "at most 16777216 elements"),
        "deep.png": (deep, "expected 8-bit gray or RGB"),
        "cut.png": (picture[:40], "ends too early"),
        "noise.png": (picture[:8] + bytes(range(200)), "not a usable .png file"),
        "pixels.png": (picture[:41] + b"\xff" * 8 + picture[49:], "cannot decode"),
        "program.exe": (b"MZ", "expected a .npy, .csv or .png file"),
    }


def refuse_files(player: Player) -> None:
    player.open("first")
    first = player.result()
    for name, (data, words) in hostile_files().items():
        drop(player, name, data, "x")
        text = player.text("problems")
        if words not in text or name not in text:
            raise PageError(f"{name}: {text!r}, expected {words!r}")
    player.browser.evaluate("document.getElementById('problems').textContent = ''")
    check(player.result(), first)


# ---- Steps


def click(player: Player, name: str) -> None:
    player.browser.evaluate(f"document.getElementById('{name}').click()")


def click_when_there(player: Player, name: str) -> None:
    """A button of the steps, once the lane has run."""
    player.browser.wait_for(f"{STEP}?.dataset.lane !== undefined")
    click(player, name)


def enter(player: Player, name: str, text: str) -> None:
    script = f"""(() => {{
      const input = document.getElementById('{name}');
      input.value = {json.dumps(text)};
      input.dispatchEvent(new Event('change'));
    }})()"""
    player.browser.evaluate(script)


def values(player: Player) -> dict[str, str]:
    rows = f"[...{STEP}.querySelectorAll('tr')]"
    cells = f"{rows}.map((row) => [...row.children].map((cell) => cell.textContent))"
    return dict(player.browser.evaluate(cells))


def open_steps(player: Player, name: str) -> None:
    player.open(name)
    click(player, "tab-steps")
    player.browser.wait_for(
        f"{STEP} && (document.getElementById('step-where').textContent || "
        f"{STEP}.querySelector('.note').textContent)"
    )


def step_through(player: Player) -> None:
    """Lane 7 of the first lesson: the values are those of the engine, in its order."""
    open_steps(player, "first")
    enter(player, "step-lane", "7")
    player.browser.wait_for(f"{STEP}.dataset.lane === '7'")
    check(player.text("step-where"), "before line 5; step 1 of 4")
    check(values(player), {"n": "200"})
    click(player, "step-next")
    check(values(player), {"n": "200", "i": "7"})
    enter(player, "step-lines", "7")
    click(player, "step-on")
    check(player.text("step-where").split(";")[0], "before line 7")
    x = np.float32(-1 + 2 * 7 / 199)
    check(np.float32(float(values(player)["y[i]"])), x * x - np.float32(0.5))
    check(player.browser.evaluate("document.querySelector('#gutter .here').textContent"), "7")
    click(player, "step-back")
    check(player.text("step-where").split(";")[0], "before line 6")
    enter(player, "step-lane", "200")
    player.browser.wait_for(f"{STEP}.dataset.lane === '200'")
    check(player.text("step-where"), "before line 5; step 1 of 3")
    enter(player, "step-lane", "far")
    player.browser.wait_for(f"{STEP}.querySelector('.note').textContent.startsWith('lane: ')")


def step_program(player: Player, program: dict) -> None:
    """Every program has steps, and they are those of the launch: the arrays are the same."""
    open_steps(player, program["id"])
    note = player.browser.evaluate(f"{STEP}.querySelector('.note').textContent")
    fault = player.browser.evaluate("document.getElementById('view').dataset.hash") == ""
    if note != "" and not fault:
        raise PageError(note)
    if player.text("step-where") == "":
        raise PageError("there are no steps")


# ---- Examples of the pages


def play_example(player: Player, program: dict, expected: Expected) -> None:
    before = player.browser.evaluate(
        f"(() => {{ document.getElementById('problems').textContent = ''; return {SETTLED}; }})()"
    )
    player.browser.evaluate(f"location.hash = {json.dumps(program['id'])}")
    player.browser.wait_for(f"{SETTLED} > {before} || {PROBLEMS} !== ''")
    check(player.browser.evaluate("document.getElementById('source').value"), program["python"])
    opened = player.browser.evaluate("document.querySelector('[aria-selected=true]').id")
    check(opened, f"tab-{program.get('view', 'result')}")
    player.browser.evaluate("document.getElementById('tab-result').click()")
    check(player.result(), expected(program))


def buttons(site: Path, programs: list[dict], blocks: list[Block], commands: list[Command]) -> None:
    """Each Python block of the pages has either a link to a program or a reason, one of each, and
    each command that is a program has a link."""
    pages = {block.page for block in blocks}
    texts = "".join((site / f"{page}.html").read_text(encoding="utf-8") for page in pages)
    links = re.findall(r'href="playground/index.html#(doc-[^"]+)"', texts)
    reasons = re.findall(r'class="not-run" id="([^"]+)">Not run in the browser: \w', texts)
    check(sorted(links), sorted(program["id"] for program in programs))
    without = {command.id for command in commands}
    check(sorted([*reasons, *({*links} - without)]), sorted(block.id for block in blocks))
    with_numpy = has_numpy(site / "playground")
    not_run = [b.id for b in blocks if b.id not in links and reason_of(b, with_numpy)]
    check(sorted(reasons), sorted(not_run))
    whole = [program["id"] for program in programs if program.get("program")]
    loads = re.findall(r"Run this</a> \(loads Python[^)]* MB, once\)", texts)
    check(len(loads), len(whole))
    print(
        f"examples: {len(blocks) - len(reasons)} of {len(blocks)} Python blocks run in the page, "
        f"{len(whole)} of them as whole programs; the others have a reason"
    )
    refused = [command.id for command in commands if command.id not in links]
    print(
        f"examples: {len(commands) - len(refused)} of {len(commands)} commands, refused: {refused}"
    )
    fewest = FEWEST_BLOCKS if with_numpy else FEWEST_WITHOUT_NUMPY
    if len(blocks) - len(reasons) < fewest or len(commands) - len(refused) < FEWEST_COMMANDS:
        raise PageError("an example of the pages is no longer opened")


# ---- Keys and screen readers


def press(player: Player, key: str, code: int, modifiers: int = 0) -> None:
    values = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
    player.browser.call("Input.dispatchKeyEvent", type="rawKeyDown", **values)
    player.browser.call("Input.dispatchKeyEvent", type="keyUp", **values)


def keys(player: Player) -> None:
    """Tab reaches every control, in the order of the page, and is not caught by the editor."""
    player.open("first")
    wanted = [
        "program",
        "run",
        "share",
        "source",
        "argument-x",
        "file-x",
        "grid",
        "block",
        "tab-result",
        "view",
    ]
    met = []
    for _ in range(40):
        press(player, "Tab", 9)
        met.append(player.browser.evaluate("document.activeElement.id"))
    check([name for name in dict.fromkeys(met) if name in wanted], wanted)
    player.browser.evaluate("document.getElementById('source').focus()")
    before = player.browser.evaluate(SETTLED)
    press(player, "Enter", 13, 2)  # Control
    player.browser.wait_for(f"{SETTLED} > {before}")


def tree_for_readers(player: Player) -> None:
    """Everything that a screen reader stops at has a role and a name."""
    player.open("mandelbrot")
    nodes = player.browser.call("Accessibility.getFullAXTree")["nodes"]
    named = {
        "button",
        "textbox",
        "combobox",
        "tab",
        "image",
        "img",
        "link",
        "tabpanel",
        "textField",
        "region",
    }
    roles: dict[str, int] = {}
    for node in nodes:
        role = node.get("role", {}).get("value", "")
        if node.get("ignored"):
            continue
        roles[role] = roles.get(role, 0) + 1
        if role in named and not node.get("name", {}).get("value"):
            raise PageError(f"a {role} has no name")
    for role in ("main", "banner", "tablist", "heading", "status"):
        if role not in roles:
            raise PageError(f"nothing is a {role}: {roles}")
    check(roles.get("tab"), 7)
    check(player.browser.evaluate("document.documentElement.lang"), "en")


def fits(player: Player, page: str) -> None:
    """A page of the site on a phone, without scrolling sideways."""
    player.browser.resize(390, 844)
    try:
        player.browser.open(player.page.replace("playground/index.html", page))
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        check(player.browser.evaluate(wide), 0)
    finally:
        player.browser.resize(1400, 900)
