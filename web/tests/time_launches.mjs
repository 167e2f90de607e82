// Times launches of a compiled kernel on arrays of its heap, and prints the median in us.
// usage: time_launches.mjs KERNELS.WASM LAUNCH, a JSON object {kernel, values, config, launches}: an array is
// {type, size, from, step}, a number is itself
import { readFileSync } from "node:fs";
import { loadCompiled } from "../hologram.js";

const [file, text] = process.argv.slice(2);
const { kernel, values, config, launches } = JSON.parse(text);
const { kernels, heap, fused } = await loadCompiled(readFileSync(file));
const given = values.map((value) => {
  if (typeof value !== "object") return value;
  const array = heap.array(value.type, value.size);
  for (let k = 0; k < value.size; ++k) array.data[k] = value.from + value.step * k;
  return array;
});
const times = [];
for (let k = 0; k < 2 * launches; ++k) {
  const start = performance.now();
  kernels[kernel].launch(...given, config);
  // Those before are for V8's second compiler.
  if (k >= launches) times.push(1000 * (performance.now() - start));
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ us: times[times.length >> 1], fused }));
