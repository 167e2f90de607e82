// Runs launches that kernels_test.py wrote, and prints a hash of the arrays of each case.
// usage: run_cases.mjs HOLOGRAM.WASM FOLDER
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { HologramError, load } from "../hologram.js";

const ARRAYS = {
  int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array,
  uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, float16: Uint16Array,
  float32: Float32Array, float64: Float64Array,
};

const [wasm, folder] = process.argv.slice(2);
const engine = await load(readFileSync(wasm));
const kernels = {};
for (const [file, text] of Object.entries(JSON.parse(readFileSync(`${folder}/kernels.json`, "utf8")))) {
  Object.assign(kernels, engine.compileJson(text, file).kernels);
}
const blob = readFileSync(`${folder}/arrays.bin`);
const number = (value) => (typeof value !== "string" ? value : /^-?\d+$/.test(value) ? BigInt(value) : Number(value));

function run(test) {
  const arrays = {};
  for (const { name, type, at, bytes } of test.arrays) {
    const copy = blob.buffer.slice(blob.byteOffset + at, blob.byteOffset + at + bytes);
    arrays[name] = new ARRAYS[type](copy);
  }
  for (const { kernel, grid, block, values } of test.steps) {
    const config = {};
    if (grid) config.grid = grid;
    if (block) config.block = block;
    const launched = kernels[kernel].launch(
      ...values.map((value) => (value.array === undefined ? number(value.scalar) : arrays[value.array])), config);
    if (launched.checked) throw new Error(`${kernel} ran with accesses checked: a proof does not cover this launch`);
  }
  const hash = createHash("sha256");
  for (const name of Object.keys(arrays).sort()) {
    const { buffer, byteOffset, byteLength } = arrays[name];
    hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return { hash: hash.digest("hex") };
}

for (const test of JSON.parse(readFileSync(`${folder}/cases.json`, "utf8"))) {
  let result;
  try {
    result = run(test);
  } catch (error) {
    if (!(error instanceof HologramError)) throw error;
    result = { error: error.message };
  }
  console.log(JSON.stringify(result));
}
