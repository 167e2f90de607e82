// The engine's worker. The page has this script first and by itself: the module is compiled while the other scripts
// and the programs are loaded.
import { Channel } from "./channel.js";

const at = (path) => new URL(path, import.meta.url).href;

async function compiled() {
  const response = await fetch(at("hologram.wasm"));
  const isWasm = response.headers.get("Content-Type") === "application/wasm";
  return { wasm: await (isWasm ? WebAssembly.compileStreaming(response) : response.arrayBuffer()) };
}

export const engine = new Channel(at("engine-worker.js"), compiled());
void engine.call("ready").catch(() => {});  // the next call has the error too
