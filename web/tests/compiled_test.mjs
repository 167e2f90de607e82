// Compiled kernels in hologram.js: errors and faults with the texts of the interpreter, arrays of a heap, what
// there is without an engine.
// usage: node --test compiled_test.mjs, with HOLOGRAM_WASM and the command HOLOGRAM in the environment
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { ErrorCode, Heap, load, loadCompiled } from "../hologram.js";

const folder = mkdtempSync(`${tmpdir()}/hologram-`);
const source = `
from hologram.lang import DeviceArray, f16, f32, get_global_id, i32, u32


def shift(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        dst[i] = src[i + 1]


def pick(src: DeviceArray[f32], at: DeviceArray[u32], dst: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        dst[i] = src[at[i]]


def divide(a: DeviceArray[i32], b: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        a[i] = a[i] // b[i]


def scale(x: DeviceArray[f16, 2], factor: f16, bias: f32):
    row = get_global_id(1)
    column = get_global_id(0)
    if row < x.shape[0] and column < x.shape[1]:
        x[row, column] = x[row, column] * factor + f16(bias)


def tell(x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        print("x", x[i])
        x[i] = x[i] + 1.0
`;
writeFileSync(`${folder}/k.py`, source);
const compile = (...options) =>
  execFileSync(process.env.HOLOGRAM, ["compile", `${folder}/k.py`, ...options], { encoding: "utf8", stdio: "pipe" });
compile("--emit", "wasm", "-o", `${folder}/k.wasm`);
compile("--emit", "json", "-o", `${folder}/k.json`);
const engine = await load(readFileSync(process.env.HOLOGRAM_WASM));
const interpreted = engine.compileJson(readFileSync(`${folder}/k.json`, "utf8"), `${folder}/k.py`).kernels;
const bytes = readFileSync(`${folder}/k.wasm`);
const { kernels, heap } = await loadCompiled(bytes, { engine });
const alone = (await loadCompiled(bytes)).kernels;

function errorOf(launch) {
  try {
    launch();
  } catch (error) {
    return { code: error.code, message: error.message };
  }
  return null;
}

// The same error from the code and from the interpreter, and no array changed.
function sameError(name, code, makeArguments) {
  const values = makeArguments();
  const before = structuredClone(values);
  const found = errorOf(() => kernels[name].launch(...values));
  assert.deepEqual(found, errorOf(() => interpreted[name].launch(...makeArguments())));
  assert.equal(found.code, code);
  assert.deepEqual(values, before);
  return found.message;
}

test("a launch runs in the code", () => {
  const dst = new Float32Array(4);
  const launched = kernels.shift.launch(Float32Array.of(0, 1, 2, 3, 4), dst, 4);
  assert.deepEqual([...dst], [1, 2, 3, 4]);
  assert.equal(launched.engine, "wasm");
  assert.deepEqual([launched.grid, launched.block], [[1, 1, 1], [256, 1, 1]]);
  assert.equal(alone.shift.launch(Float32Array.of(5, 6), dst, 1).engine, "wasm");
  assert.equal(dst[0], 6);
});

test("faults have the text of the interpreter, and change nothing", () => {
  const text = sameError("pick", ErrorCode.fault, () =>
    [Float32Array.of(1, 2, 3), Uint32Array.of(2, 1, 3, 0), new Float32Array(4).fill(7), 4]);
  assert.match(text, /k\.py:14:18: error: src\[at\[i\]\] reads element 3 of 3 \(i = 2\)/);
  sameError("divide", ErrorCode.fault, () => [Int32Array.of(8, 9, 7), Int32Array.of(2, 0, 1), 3]);
  // The proofs do not cover it: the interpreter runs it from the start, and finds the fault.
  sameError("shift", ErrorCode.fault, () => [new Float32Array(300), new Float32Array(300).fill(7), 300]);
});

test("wrong arguments have the errors of the engine", () => {
  const array = () => new Float32Array(4);
  sameError("shift", ErrorCode.invalidArgument, () => [array(), array()]);
  sameError("shift", ErrorCode.invalidArgument, () => [array(), 3, 4]);
  sameError("shift", ErrorCode.invalidArgument, () => [array(), new Float64Array(4), 3]);
  for (const wrong of [-1, 1.5, 2 ** 32]) sameError("shift", ErrorCode.invalidArgument, () => [array(), array(), wrong]);
  sameError("scale", ErrorCode.invalidArgument, () => [new Uint16Array(4), 1, 0]);
  sameError("scale", ErrorCode.invalidArgument, () => [{ data: new Uint16Array(4), shape: [2, 2] }, 1e6, 0]);
});

test("arrays of several dimensions, and numbers of 16 bits", () => {
  for (const factor of [0, -0, 1, 0.1, 1 / 3, 2.0009765625, 5.9e-8, 6.1e-5, 65504, NaN, Infinity, -2.5]) {
    const launchOn = (some) => {
      const data = Uint16Array.of(0x3c00, 0x3e01, 0x0001, 0x7c00, 0xc500, 0x7bff);
      const launched = some.scale.launch({ data, shape: [2, 3] }, factor, 0.25);
      return { data: [...data], grid: launched.grid };
    };
    assert.deepEqual(launchOn(kernels), launchOn(interpreted), `factor ${factor}`);
  }
});

test("arrays of the heap are used in place, faults leave them alone", () => {
  const x = heap.array("i32", 3);
  const y = heap.array("i32", 3);
  x.data.set([8, 9, 7]);
  y.data.set([2, 3, 7]);
  assert.equal(kernels.divide.launch(x, y, 3).engine, "wasm");
  assert.deepEqual([...x.data], [4, 3, 1]);
  y.data[2] = 0;
  assert.throws(() => kernels.divide.launch(x, y, 3), { code: ErrorCode.fault, message: /division by zero/ });
  assert.throws(() => alone.divide.launch(Int32Array.of(6), Int32Array.of(0), 1), { code: ErrorCode.fault });
  assert.deepEqual([...x.data], [4, 3, 1]);
  x.release();
  assert.throws(() => x.data, { code: ErrorCode.invalidArgument });
});

test("a heap that grows keeps its arrays, and takes memory again", () => {
  const small = new Heap();
  const first = small.array("f32", 2);
  first.data.set([1, 2]);
  const view = first.data;
  const large = small.array("f64", 1 << 18);
  assert.equal(view.length, 0);
  assert.deepEqual([...first.data], [1, 2]);
  const { top } = small;
  large.release();
  small.array("u8", 1 << 21).release();
  assert.ok(small.top < top);
});

test("overlapping views are as they are", () => {
  const whole = Float32Array.of(1, 2, 3, 4, 5);
  const found = errorOf(() => kernels.shift.launch(whole, whole.subarray(1), 4));
  const again = Float32Array.of(1, 2, 3, 4, 5);
  assert.deepEqual(found, errorOf(() => interpreted.shift.launch(again, again.subarray(1), 4)));
  assert.deepEqual(whole, again);
});

test("a kernel without code is interpreted, and says so", () => {
  const x = Float32Array.of(1, 2);
  const launched = kernels.tell.launch(x, 2);
  assert.deepEqual([launched.engine, launched.declined], ["interpreter", "the kernel has no code in WebAssembly"]);
  assert.match(launched.prints, /lane 1\] x 2\.0/);
  assert.throws(() => alone.tell.launch(x, 2), { code: ErrorCode.unsupported, message: /no code in WebAssembly/ });
});

test("other modules are refused", async () => {
  const nothing = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  await assert.rejects(loadCompiled(nothing), { code: ErrorCode.invalidBundle });
  const other = Buffer.from(bytes);
  other.write('"version":9', other.lastIndexOf('"version":1'));
  await assert.rejects(loadCompiled(other), { code: ErrorCode.invalidBundle, message: /version 9/ });
});
