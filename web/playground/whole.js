// Whole programs of the pages: they run in a worker of their own, which is made for the first of them.
import { Channel } from "./channel.js";

const LIMIT_MS = 60000;
const MOST_SHOWN = 1 << 16;  // bytes of a picture
const at = (path) => new URL(path, import.meta.url).href;

const worker = new Channel(at("program-worker.js"), {
  pyodide: at("pyodide/"), library: at("pyodide/library.zip"), wasm: at("hologram-library.wasm"),
  archive: at("package.zip"),
});

/** @param {any} program an entry of examples.json @param {(text: string) => void} say */
export async function runWhole(program, text, say) {
  const { files = {}, before = [], loads = "" } = program;
  say(loads === "" ? "loading Python ..." : `loading ${loads}, once ...`);
  await worker.call("load", { numpy: /\bnumpy\b/.test(text) });
  say("running ...");
  const { printed, failed, written = [], milliseconds = 0 } =
    await worker.call("run", { text, files, before }, LIMIT_MS);
  return { printed, failed, written: shown(written), milliseconds };
}

// What a program has written: its pictures, and the sizes of the others.
function shown(files) {
  return files.map(({ name, bytes }) => {
    const about = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = `${name}, ${bytes.length.toLocaleString("en")} bytes`;
    about.append(caption);
    if (name.endsWith(".svg") && bytes.length < MOST_SHOWN) {
      const picture = document.createElement("img");
      picture.alt = `what the program has written as ${name}`;
      picture.src = `data:image/svg+xml;base64,${btoa(String.fromCharCode(...bytes))}`;
      about.append(picture);
    }
    return about;
  });
}
