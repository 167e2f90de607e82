"""Links of the playground: what they open is what was shared."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
from browser import PageError
from features import click, drop, npy
from player import SETTLED, Player, check

SLOWEST = 120  # seconds until Python and NumPy are there


def shared(player: Player) -> str:
    """The address that the button makes."""
    player.browser.evaluate("history.replaceState(null, '', location.pathname)")
    click(player, "share")
    return str(player.browser.wait_for("location.hash.startsWith('#k=') && location.href"))


def opened(player: Player, link: str) -> None:
    player.browser.open(link)
    player.browser.wait_for(f"{SETTLED} > 0", SLOWEST)


def source(player: Player) -> str:
    return str(player.browser.evaluate("document.getElementById('source').value"))


def of_text(player: Player, text: str) -> None:
    player.open("first")
    player.type(text)
    first = player.result()
    opened(player, shared(player))
    check(source(player), text)
    check(player.result(), first)


def given(player: Player) -> dict[str, str]:
    """The arguments and the shape of the launch, as the page shows them."""
    script = """Object.fromEntries([...document.querySelectorAll('#launch input:not([type=file])')]
        .map((input) => [input.id, input.value]))"""
    return dict(player.browser.evaluate(script))


def of_arrays(player: Player) -> None:
    player.open("nbody")
    before = player.result()
    changed = {
        "argument-x": "2 * random(60, 3) - 1", "argument-v": "0.1 * random(60, 3)",
        "argument-dt": "0.25", "grid": "1", "block": "64",
    }  # fmt: skip
    for name, text in changed.items():
        script = f"""(() => {{
          const input = document.getElementById('{name}'), before = {SETTLED};
          input.value = {json.dumps(text)};
          input.dispatchEvent(new Event('input'));
          return before;
        }})()"""
        settled = player.browser.evaluate(script)
        player.browser.wait_for(f"{SETTLED} > {settled}")
    first, arguments = player.result(), given(player)
    if first["hash"] in ("", before["hash"]):
        raise PageError(f"other arguments give {first}")
    check({name: arguments[name] for name in changed}, changed)
    opened(player, shared(player))
    check(given(player), arguments)
    check(player.result(), first)


def of_file(player: Player) -> None:
    """A file is not in the link, and the page of its reader names it."""
    player.open("first")
    drop(player, "mine.npy", npy(np.ones(20, np.float32)), "x")
    check(player.result()["problems"], "")
    player.browser.open(shared(player))
    player.browser.wait_for(
        "document.querySelector('#view .fault')?.textContent.includes('mine.npy')", SLOWEST
    )


def of_program(player: Player, program: dict, expected: Callable[[dict], dict[str, str]]) -> None:
    """It waits until its reader runs it, and has the files that it needs."""
    player.open(program["id"])
    player.browser.open(shared(player))
    player.browser.wait_for("document.getElementById('status').textContent.includes('Run runs it')")
    check(source(player), program["python"])
    check(player.browser.evaluate(SETTLED), 0)
    click(player, "run")
    player.browser.wait_for(f"{SETTLED} > 0", SLOWEST)
    check(player.result(), expected(program))
