// The arguments of a program of the playground as .npy files, and as options of `hologram run`.
// usage: arguments.mjs HOLOGRAM.WASM FOLDER < PROGRAM.json > {"options": ..., "written": [NAME], "hash": ...}
// The hash is that of the arrays that the module writes, or empty where the launch is refused.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { load } from "./hologram.js";
import { argumentsOf, extentsOf } from "./playground/expressions.js";

const NPY = {
  Int8Array: "|i1", Uint8Array: "|u1", Int16Array: "<i2", Uint16Array: "<u2", Int32Array: "<i4", Uint32Array: "<u4",
  BigInt64Array: "<i8", BigUint64Array: "<u8", Float32Array: "<f4", Float64Array: "<f8",
};

function npy(array, shape, type) {
  const kind = type === "f16" ? "<f2" : NPY[array.constructor.name];
  const text = `{'descr': '${kind}', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`;
  const header = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + "\n";
  const start = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, header.length & 255, header.length >> 8]);
  return Buffer.concat([start, Buffer.from(header), Buffer.from(array.buffer, array.byteOffset, array.byteLength)]);
}

const [wasm, folder] = process.argv.slice(2);
const program = JSON.parse(readFileSync(0, "utf8"));
const engine = await load(readFileSync(wasm));
// The kernel that the playground launches.
const { kernels } = engine.compileJson(program.json);
const kernel = kernels[program.entry] ?? Object.values(kernels).at(-1);
const options = ["--entry", kernel.name];
const written = [];
const values = argumentsOf(kernel.parameters, program.arguments);
const config = {};
values.forEach(({ value, shape }, k) => {
  const { name, buffer, direction, type } = kernel.parameters[k];
  if (!buffer) {
    options.push("--set", `${name}=${value}`);
    return;
  }
  writeFileSync(`${folder}/${name}.npy`, npy(value.data ?? value, shape, type));
  options.push("--in", `${name}=${name}.npy`);
  if (direction === "in") return;
  options.push("--out", `${name}=${name}.out.npy`);
  written.push(name);
});
for (const option of ["grid", "block"]) {
  const extents = extentsOf(program[option] ?? "", values.names);
  if (!extents) continue;
  config[option] = extents;
  options.push(`--${option}`, [...extents, 1, 1].slice(0, 3).join(","));
}

function hashOfLaunch() {
  const given = values.map(({ value }) => value);
  try {
    kernel.launch(...given, config);
  } catch (error) {
    if (error.errors === undefined) throw error;
    return "";
  }
  const hash = createHash("sha256");
  given.forEach((value, k) => written.includes(kernel.parameters[k].name) && hash.update(value.data ?? value));
  return hash.digest("hex");
}

process.stdout.write(JSON.stringify({ options, written, hash: hashOfLaunch() }));
