"""hologram.registry: which kernel a name gives, what is listed, what is refused."""

from __future__ import annotations

import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import hologram as hg
from hologram import registry

SOURCE = """from hologram.lang import DeviceArray, get_global_id, u32


def {name}(c: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = {value}
"""


def save(path: pathlib.Path, name: str, value: int) -> str:
    source = path.with_suffix(".py")
    source.write_text(SOURCE.format(name=name, value=value))
    return hg.compile(source).save(path)


def stored(kernel: hg.Kernel) -> int:
    c = np.zeros(3, np.uint32)
    kernel(c, 3)
    return int(c[2])


def test_user_beats_bundled(tmp_path: pathlib.Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    save(tmp_path / "app.holo", "k", 1)
    found = registry.Registry(only_added=True)
    found.load(tmp_path / "app.holo")
    found.add_directory(mine)
    held = found.kernel("k")
    save(mine / "k.holo", "k", 2)
    assert (stored(held), stored(found.kernel("k"))) == (1, 2)
    kernels = found.listing().kernels
    assert [(k.name, k.origin, k.file, k.shadowed_by) for k in kernels] == [
        ("k", "user", str(mine / "k.holo"), None),
        ("k", "bundled", str(tmp_path / "app.holo"), str(mine / "k.holo")),
    ]


def test_bad_files_have_names(tmp_path: pathlib.Path) -> None:
    save(tmp_path / "good.holo", "good", 5)
    (tmp_path / "bad.holo").write_bytes((tmp_path / "good.holo").read_bytes()[:-1])
    found = registry.Registry(only_added=True)
    found.add_directory(str(tmp_path))
    assert stored(found.kernel("good")) == 5
    with pytest.raises(hg.BundleError, match=r"bad\.holo: the header says"):
        found.kernel("bad")
    assert len(found.listing().errors) == 1 and "bad.holo" in found.listing().errors[0]
    with pytest.raises(hg.NotFoundError, match="no kernel 'other'; there are: good\n.*bad.holo"):
        found.kernel("other")
    with pytest.raises(hg.NotFoundError, match="there is no such folder"):
        found.add_directory(tmp_path / "missing")
    with pytest.raises(hg.ArgumentError, match="expected a trust hash"):
        found.trust("abc")


def test_a_loaded_bundle_is_itself(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    save(mine / "k.holo", "k", 2)
    save(tmp_path / "app.holo", "k", 1)
    monkeypatch.setenv("HOLOGRAM_KERNEL_PATH", str(mine))
    assert stored(registry.Registry().kernel("k")) == 2
    assert stored(hg.load(tmp_path / "app.holo").k) == 1


def test_kernels_of_a_registry_do_not_pickle(tmp_path: pathlib.Path) -> None:
    save(tmp_path / "k.holo", "k", 1)
    found = registry.Registry(only_added=True)
    found.add_directory(tmp_path)
    with pytest.raises(TypeError):
        pickle.dumps(found.kernel("k"))


def test_threads(tmp_path: pathlib.Path) -> None:
    save(tmp_path / "k.holo", "k", 1)
    found = registry.Registry(only_added=True)
    found.add_directory(tmp_path)
    wrong: list[int] = []

    def look() -> None:
        for _ in range(50):
            value = stored(found.kernel("k"))
            if value not in (1, 2):
                wrong.append(value)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    save(tmp_path / "k.holo", "k", 2)
    for thread in threads:
        thread.join()
    assert not wrong and stored(found.kernel("k")) == 2


def test_native_code_is_only_loaded_where_it_is_allowed(tmp_path: pathlib.Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "k.so").write_bytes(b"no library")
    (tmp_path / "k.so").chmod(0o644)
    for native, message in ((False, "native code, which is loaded only"), (True, "no shared lib")):
        found = registry.Registry(only_added=True)
        found.add_directory(tmp_path, native=native)
        with pytest.raises(hg.Error, match=message):
            found.kernel("k")


def test_built_in_kernels_are_found_last() -> None:
    pytest.importorskip("hologram._stdlib")
    script = (
        "import hologram as hg\n"
        "k = hg.registry.kernel('op_add_f32')\n"
        "print(k.path.startswith('native (bundle'))\n"
        "print({e.origin for e in hg.registry.listing().kernels if e.name == k.name})\n"
    )
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert run.stdout == "True\n{'built-in'}\n"
