// Runs launches that kernels_test.py or compiled_test.py wrote, and prints a hash of the arrays of each case.
// usage: run_cases.mjs HOLOGRAM.WASM FOLDER [fused|software]
// With a form, by the compiled kernels of FOLDER/*.wasm; each launch must have run there. fused: the multiply-adds
// of the host must be.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { Heap, HologramError, isMaddFused, load, loadCompiled } from "../hologram.js";

const ARRAYS = {
  int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array,
  uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, float16: Uint16Array,
  float32: Float32Array, float64: Float64Array,
};

const [wasm, folder, form] = process.argv.slice(2);
const engine = await load(readFileSync(wasm));
const kernels = {};
if (form === undefined) {
  for (const [file, text] of Object.entries(JSON.parse(readFileSync(`${folder}/kernels.json`, "utf8")))) {
    Object.assign(kernels, engine.compileJson(text, file).kernels);
  }
} else {
  if (form === "fused" && !isMaddFused()) throw new Error("relaxed_madd is not fused here");
  const heap = new Heap();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".wasm"))) {
    const options = { engine, heap, fused: form === "fused" };
    Object.assign(kernels, (await loadCompiled(readFileSync(`${folder}/${file}`), options)).kernels);
  }
}
const blob = readFileSync(`${folder}/arrays.bin`);
const number = (value) => (typeof value !== "string" ? value : /^-?\d+$/.test(value) ? BigInt(value) : Number(value));

function check(kernel, launched) {
  if (launched.checked) throw new Error(`${kernel} ran with accesses checked: a proof does not cover this launch`);
  const isCompiled = launched.engine === "wasm" || launched.engine === "";
  if (form !== undefined && !isCompiled) throw new Error(`${kernel} was not run by its code: ${launched.declined}`);
}

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
    check(kernel, kernels[kernel].launch(
      ...values.map((value) => (value.array === undefined ? number(value.scalar) : arrays[value.array])), config));
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
