// Parts of the playground without a browser: floats of 16 bits, files, arguments, kernels that print their steps.
// usage: node --test parts_test.mjs, with HOLOGRAM_WASM and the command HOLOGRAM in the environment
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { ErrorCode, load } from "../hologram.js";
import { argumentsOf, evaluate, extentsOf, typedGrid } from "../playground/expressions.js";
import { readFile, readPng } from "../playground/files.js";
import { fromHalf, toHalf } from "../playground/halves.js";
import { instrument, laneOf, readSteps } from "../playground/steps.js";

const engine = await load(readFileSync(process.env.HOLOGRAM_WASM));
const folder = mkdtempSync(`${tmpdir()}/hologram-`);

function jsonOf(python) {
  writeFileSync(`${folder}/kernel.py`, python);
  execFileSync(process.env.HOLOGRAM, ["compile", "kernel.py", "--emit", "json", "-o", "kernel.json"], { cwd: folder });
  return readFileSync(`${folder}/kernel.json`, "utf8");
}

test("floats of 16 bits are rounded to nearest even", () => {
  for (const type of ["f16", "bf16"]) {
    for (let bits = 0; bits < 65536; ++bits) {
      const value = fromHalf(bits, type);
      if (!Number.isNaN(value)) assert.equal(toHalf(value, type), bits);
    }
  }
  assert.deepEqual([1 + 2 ** -11, 1 + 3 * 2 ** -11, 65519, 65520, 2 ** -25, 1.5 * 2 ** -25].map((value) => toHalf(value, "f16")),
    [0x3c00, 0x3c02, 0x7bff, 0x7c00, 0, 1]);
  assert.equal(toHalf(NaN, "f16"), 0x7e00);
  assert.equal(toHalf(-Infinity, "bf16"), 0xff80);
});

test("files in expressions have types of their own", () => {
  const parameter = (type) => [{ name: "x", buffer: true, type, rank: 0 }];
  const wide = BigInt64Array.of(2n ** 62n + 1n);
  const files = new Map([["a.npy", typedGrid(wide, [1], "i64")]]);
  const [{ value }] = argumentsOf(parameter("i64"), { x: 'file("a.npy")' }, files);
  assert.equal(value[0], wide[0]);
  assert.notEqual(value.buffer, wide.buffer);
  assert.throws(() => argumentsOf(parameter("f32"), { x: 'file("a.npy")' }, files), /x: expected f32, found i64; f32\(\.\.\.\) converts/);
  assert.equal(argumentsOf(parameter("f32"), { x: 'f32(file("a.npy"))' }, files)[0].value[0], 2 ** 62);
  assert.throws(() => evaluate('file("b.npy")', {}, files), /there is no file "b\.npy" here/);
  assert.throws(() => evaluate("reshape(arange(6), 4, 2)"), /6 elements have no shape 4 x 2/);
  assert.deepEqual(extentsOf("ceil(n / 16), 2", { n: 33 }), [3, 2]);
  assert.equal(extentsOf(" ", {}), undefined);
  assert.throws(() => extentsOf("0", {}), /expected up to three whole numbers/);
  const usual = argumentsOf([{ name: "A", buffer: true, type: "f16", rank: 2 }, { name: "n", buffer: false, type: "u32", rank: 0 }], {});
  assert.deepEqual(usual.map(({ value: given }) => given.shape ?? given), [[10, 10], 100]);
});

test("arrays of files are those of the command's readers", async () => {
  const read = (bytes, name, type) => Promise.resolve(engine.readArray(bytes, name, type));
  const file = (name, content) => new File([content], name);
  const table = await readFile(file("t.csv", "1,2,3\n4,5,6.5\n"), "f64", read);
  assert.deepEqual([[...table.array], table.shape, table.type], [[1, 2, 3, 4, 5, 6.5], [2, 3], "f64"]);
  await assert.rejects(readFile(file("t.csv", "1,2\n3\n"), "i32", read), { code: ErrorCode.invalidText, message: /t\.csv:2:1: error: expected 2 numbers/ });
  await assert.rejects(readFile(file("t.csv", "300\n"), "u8", read), /u8/);
  await assert.rejects(readFile(file("t.npy", "no"), "u8", read), /t\.npy: .*magic is missing/);
  await assert.rejects(readFile(file("t.txt", "1"), "u8", read), /expected a \.npy, \.csv or \.png file/);
  assert.throws(() => engine.readArray(new Uint8Array(3), "t.png"), /expected a \.npy or \.csv file/);
  assert.throws(() => readPng(new Uint8Array(40)), /signature is missing/);
});

const BRANCHES = `from hologram.lang import DeviceArray, f32, get_global_id, u32


def branches(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i >= n:
        return
    total = 0.5
    for k in range(i):
        if k == 2:
            continue
        total += x[k]
        half = total / 2.0
    big: u32 = 4294967295
    y[i] = total
`;

test("steps of a lane", () => {
  const traced = instrument(jsonOf(BRANCHES), "branches", [4, 0, 0], [256, 1, 1]);
  assert.ok(traced.json.includes('"value":0.5') && traced.json.includes('"value":2.0') && traced.json.includes("4294967295"));
  const x = Float32Array.of(1, 2, 3, 4, 5, 6);
  const { prints } = engine.compileJson(traced.json).kernels.branches.launch(x, new Float32Array(6), 6);
  const steps = readSteps(prints, traced.places);
  assert.deepEqual(steps.map(({ line }) => line),
    [5, 6, 8, 9, 10, 12, 13, 9, 10, 12, 13, 9, 10, 11, 10, 12, 13, 9, 14, 15, 15]);
  const of = (step) => Object.fromEntries(steps[step].values);
  assert.deepEqual(of(0), { n: "6" });
  assert.deepEqual(of(6), { n: "6", i: "4", total: "1.5", k: "0" });
  assert.deepEqual(of(19), { n: "6", i: "4", total: "7.5", big: "4294967295", "y[i]": "7.5" });
});

test("lanes that are not there", () => {
  assert.deepEqual(laneOf("3 5", [16, 16, 1]), [3, 5, 0]);
  for (const text of ["16", "1.5", "-1", "x", "0 0 0 0"]) assert.throws(() => laneOf(text, [16, 16, 1]), /lane: expected numbers below/);
});
