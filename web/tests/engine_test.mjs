// The engine by itself: its texts, its errors, overlapping views, what a module does without memory.
// usage: node --test engine_test.mjs, with HOLOGRAM_WASM and the command HOLOGRAM in the environment
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { ErrorCode, load } from "../hologram.js";
import { argumentsOf, evaluate } from "../playground/expressions.js";
import { decode, encode } from "../playground/link.js";

const command = process.env.HOLOGRAM;
const bytes = readFileSync(process.env.HOLOGRAM_WASM);
const folder = mkdtempSync(`${tmpdir()}/hologram-`);
const lessons = new URL("../playground/lessons/", import.meta.url).pathname;

function run(...options) {
  try {
    return execFileSync(command, options, { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    return error.stdout + error.stderr;
  }
}

function compile(engine, name) {
  const file = `${folder}/${name}.json`;
  run("compile", `${lessons}${name}.py`, "--emit", "json", "-o", file);
  return engine.compileJson(readFileSync(file, "utf8"));
}

const engine = await load(bytes);

test("texts are those of the command", () => {
  for (const name of ["first", "bounds", "race", "shared", "fusion", "life"]) {
    const file = `${lessons}${name}.py`;
    const [kernel] = Object.values(compile(engine, name).kernels);
    assert.equal(kernel.view("explain"), run("verify", file, "--explain", "--level", "none"));
    assert.equal(kernel.view("asm"), run("compile", file, "--emit", "asm"));
  }
  const { layer } = compile(engine, "fusion").kernels;
  assert.equal(layer.view("circuit"), run("compile", `${lessons}fusion.py`, "--emit", "circuit"));
  // Each operation of the source, in the order in which it is needed, beside four of the canonical form.
  const calls = layer.view("written").trim().split("\n").slice(1).map((call) => call.split("variant=")[1]);
  assert.deepEqual(calls, ["Mul", "Add", "Max", "Mul", "Add", "Max", "Add"]);
  assert.equal(layer.view("operations"), "7 ops -> 4 ops (42.9 % fewer)");
  assert.throws(() => layer.view("llvm"), { code: ErrorCode.invalidArgument, message: /expected asm, explain/ });
});

test("a bundle", () => {
  run("compile", `${lessons}first.py`, "-o", `${folder}/first.holo`);
  const { wave } = engine.loadBundle(readFileSync(`${folder}/first.holo`)).kernels;
  const y = new Float32Array(3);
  wave.launch(Float32Array.of(1, 2, 3), y, 3);
  assert.deepEqual([...y], [0.5, 3.5, 8.5]);
  assert.throws(() => wave.view("circuit"), { code: ErrorCode.unsupported });
  const damaged = readFileSync(`${folder}/first.holo`);
  damaged[200] ^= 1;
  assert.throws(() => engine.loadBundle(damaged), { code: ErrorCode.invalidBundle });
});

test("a fault has its counterexample, and changes nothing", () => {
  const { blur } = compile(engine, "bounds").kernels;
  const dst = new Float32Array(500).fill(7);
  assert.throws(() => blur.launch(new Float32Array(500), dst, 500), {
    code: ErrorCode.fault, message: /bounds\.py:7:60: error: src\[i \+ 2\] reads element 500 of 500 \(i = 498\)/,
  });
  assert.ok(dst.every((value) => value === 7));
});

test("a race is refused by name, and allowed on request", () => {
  const { histogram } = compile(engine, "race").kernels;
  const value = Uint32Array.from({ length: 64 }, (_, k) => k % 5);
  const count = new Uint32Array(16);
  assert.throws(() => histogram.launch(value, count, 64), { code: ErrorCode.invalidArgument, message: /count\[value\[i\] % 16\]/ });
  histogram.launch(value, count, 64, { deterministic: false });
  assert.ok(count.some((n) => n > 0));
});

test("arguments that do not fit are refused with the texts of the C interface", () => {
  const { wave } = compile(engine, "first").kernels;
  const [x, y] = [new Float32Array(4), new Float32Array(4)];
  assert.throws(() => wave.launch(x, y), { message: /expects 3 arguments \(x, y, n\), found 2/ });
  assert.throws(() => wave.launch(x, new Float64Array(4), 4), { message: /'y' expects a buffer of f32, found a buffer of f64/ });
  assert.throws(() => wave.launch(x, y, -1), { message: /'n' expects u32, found -1 of type i64/ });
  assert.throws(() => wave.launch(x, y, 1.5), { message: /'n' expects u32, found 1\.5/ });
  assert.throws(() => wave.launch(x, y, "4"), { message: /expected a number or a typed array/ });
});

test("views of one buffer overlap in the module too", () => {
  const { wave } = compile(engine, "first").kernels;
  const memory = new ArrayBuffer(64);
  const all = new Float32Array(memory).fill(2);
  assert.throws(() => wave.launch(new Float32Array(memory, 0, 8), new Float32Array(memory, 16, 8), 8),
    { code: ErrorCode.invalidArgument });
  wave.launch(all, all, 16);
  assert.ok(all.every((value) => value === 3.5));
});

test("a wrong document has its places", () => {
  assert.throws(() => engine.compileJson("{"), (error) => error.code !== 0 && error.message.length > 0);
});

test("an engine without memory says so, and another one works", async () => {
  const other = await load(bytes);
  // More than a module can have: 4 GiB.
  const huge = { byteLength: 2 ** 32 - 65536, buffer: new ArrayBuffer(0), byteOffset: 0 };
  assert.throws(() => other.loadBundle(Object.assign(huge, { length: huge.byteLength })),
    (error) => [ErrorCode.resourceLimit, ErrorCode.internal].includes(error.code));
  assert.equal(compile(engine, "first").kernels.wave.id.length, 64);
});

test("expressions", () => {
  assert.equal(evaluate("1 + 2 * 3 ** 2 - -1"), 20);
  assert.deepEqual([...evaluate("arange(4) * 2 + 1").data], [1, 3, 5, 7]);
  assert.deepEqual(evaluate("random(3, 4)").shape, [3, 4]);
  assert.throws(() => evaluate("nothing"), /'nothing' is not known/);
  assert.throws(() => evaluate("constructor"), /'constructor' is not known/);
  assert.throws(() => evaluate("1 +"), /expected a value/);
  assert.throws(() => evaluate("zeros(1e9)"), /at most/);
  const parameters = [{ name: "x", buffer: true, type: "f32", rank: 0 }, { name: "n", buffer: false, type: "u32", rank: 0 }];
  assert.equal(argumentsOf(parameters, { x: "[5, 6]", n: "len(x)" })[1].value, 2);
});

test("a link gives its program back", async () => {
  const program = { python: "def f():\n  pass  # é", arguments: { x: "arange(3)" } };
  assert.deepEqual(await decode(await encode(program)), program);
});
