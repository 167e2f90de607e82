"""Screenshots against approved images, which lie in web/tests/approved at half their size.

A picture may differ from the approved one by MOST_CHANGED of its pixels; a pixel has changed if a
channel differs by more than CHANGE of 255. Versions of a browser smooth letters in different ways.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

from browser import Browser, PageError

APPROVED = Path(__file__).parent / "approved"
CHANGE = 64
MOST_CHANGED = 0.01
SCALE = 0.5

# What moves or counts is left out.
STILL = """(async () => {
  const style = document.createElement('style');
  style.textContent = '#status, #python { visibility: hidden } '
    + '* { caret-color: transparent !important; transition: none !important }';
  document.head.append(style);
  await document.fonts.ready;
  document.activeElement?.blur();
  // Plots that were drawn before the letters were there.
  document.querySelector('#tab-result[aria-selected=true]')?.click();
  scrollTo(0, 0);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
})()"""

COMPARE = """(async (pictures) => {
  const [one, other] = await Promise.all(pictures.map(async (text) => {
    const picture = await createImageBitmap(await (await fetch(text)).blob());
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, picture.width, picture.height);
  }));
  if (one.width !== other.width || one.height !== other.height) return 1;
  let changed = 0;
  for (let k = 0; k < one.data.length; k += 4) {
    changed += [0, 1, 2].some((c) => Math.abs(one.data[k + c] - other.data[k + c]) > LIMIT) ? 1 : 0;
  }
  return changed / (one.data.length / 4);
})""".replace("LIMIT", str(CHANGE))


def take(browser: Browser, width: int, height: int) -> bytes:
    browser.evaluate(STILL)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": SCALE}
    answer = browser.call("Page.captureScreenshot", format="webp", quality=80, clip=clip)
    return base64.b64decode(answer["data"])


def compare(browser: Browser, name: str, taken: bytes, folder: Path, approve: bool) -> None:
    """`taken` with the approved picture `name`; it is left in the folder."""
    (folder / f"{name}.webp").write_bytes(taken)
    approved = APPROVED / f"{name}.webp"
    if approve:
        APPROVED.mkdir(exist_ok=True)
        approved.write_bytes(taken)
        return
    if not approved.exists():
        raise PageError(f"there is no {approved}; browser_test.py --approve writes it")
    browser.leave()
    pictures = [
        f"data:image/webp;base64,{base64.b64encode(data).decode()}"
        for data in (approved.read_bytes(), taken)
    ]
    changed = browser.evaluate(f"{COMPARE}({json.dumps(pictures)})")
    if changed > MOST_CHANGED:
        raise PageError(
            f"{100 * changed:.1f} % of the pixels of {folder / name}.webp are not those of "
            f"{approved}; browser_test.py --approve takes it"
        )
