// The engine of hologram.js: kernels from kernel JSON or .holo files, verified and launched by the interpreter.

import { addressOf, arrayOf, CODES, codeOfArray, copyRegions, ErrorCode, fail, HologramError, takeConfig }
  from "./hologram-common.js";

/**
 * @typedef {import("./hologram-common.js").TypedArray} TypedArray
 * @typedef {import("./hologram-common.js").Argument} Argument
 * @typedef {import("./hologram-common.js").Config} Config
 * @typedef {import("./hologram-common.js").Parameter} Parameter
 * @typedef {import("./hologram-common.js").Diagnostic} Diagnostic
 * @typedef {import("./hologram-common.js").Launched} Launched
 */

const FLAG_BUFFER = 0x10;  // HOLOGRAM_ARGUMENT_*
const FLAG_WRITABLE = 0x20;
const BYTES_OF_ARGUMENT = 32;
const BYTES_OF_CONFIG = 64;
const BYTES_OF_SHAPE = 72;
const MOST_DIMENSIONS = 4;

/** The few functions of WASI that the standard library of the module asks for. There are no files. */
function platform(memoryOf) {
  const noSuchFile = () => 8;  // EBADF
  const written = { text: "" };
  return {
    written,
    imports: {
      wasi_snapshot_preview1: {
        environ_get: () => 0,
        environ_sizes_get: (count, size) => {
          const view = new DataView(memoryOf());
          view.setUint32(count, 0, true);
          view.setUint32(size, 0, true);
          return 0;
        },
        clock_time_get: (_clock, _precision, out) => {
          new DataView(memoryOf()).setBigUint64(out, 0n, true);
          return 0;
        },
        fd_write: (_file, vectors, count, out) => {
          const view = new DataView(memoryOf());
          let bytes = 0;
          for (let k = 0; k < count; ++k) {
            const at = view.getUint32(vectors + 8 * k, true);
            const size = view.getUint32(vectors + 8 * k + 4, true);
            written.text += new TextDecoder().decode(new Uint8Array(memoryOf(), at, size));
            bytes += size;
          }
          view.setUint32(out, bytes, true);
          return 0;
        },
        fd_close: noSuchFile, fd_seek: noSuchFile, fd_read: noSuchFile, fd_fdstat_get: noSuchFile,
        fd_prestat_get: noSuchFile, fd_prestat_dir_name: noSuchFile, path_open: noSuchFile,
        fd_fdstat_set_flags: noSuchFile,
        proc_exit: (status) => { throw new WebAssembly.RuntimeError(`exit ${status}`); },
      },
    },
  };
}

/**
 * @param {BufferSource | WebAssembly.Module} module the bytes of hologram.wasm
 * @returns {Promise<Engine>}
 */
export async function load(module) {
  let memory;
  const { imports, written } = platform(() => memory.buffer);
  const compiled = module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module);
  const instance = await WebAssembly.instantiate(compiled, imports);
  memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
  /** @type {Function} */ (instance.exports._initialize)();
  return new Engine(instance.exports, written);
}

/** One instance of the module. It has one thread; nothing in it outlives it. */
export class Engine {
  #exports;
  #written;
  #stopped = "";

  constructor(exports, written) {
    this.#exports = exports;
    this.#written = written;
  }

  /** All kernels of a kernel JSON document (docs/kernel-json.md). `file` is its name in messages.
   * @param {string} text @param {string} [file] @returns {Module} */
  compileJson(text, file = "kernels.json") {
    return this.withMemory((memory) => {
      const [json, jsonSize] = memory.text(text);
      const [name, nameSize] = memory.text(file);
      return this.#module(this.call("hologram_web_compile_json", json, jsonSize, name, nameSize));
    });
  }

  /** All kernels of a .holo file. @param {Uint8Array} bytes @returns {Module} */
  loadBundle(bytes) {
    return this.withMemory((memory) =>
      this.#module(this.call("hologram_web_load", memory.bytes(bytes), bytes.length)));
  }

  /** The canonical form of a circuit (docs/sigmatics.md), and its calls in lines of their own.
   * @param {string} text @param {"memory" | "gate" | "none"} [mode] */
  circuit(text, mode = "memory") {
    return this.withMemory((memory) => {
      this.check(this.call("hologram_web_circuit", ...memory.text(text), ...memory.text(mode)));
      return this.text();
    });
  }

  /** The array of a .npy or .csv file, by the suffix of its name; numbers of a .csv are of `type`.
   * @param {Uint8Array} bytes @param {string} name @param {string} [type]
   * @returns {{type: string, shape: number[], bytes: ArrayBuffer}} its elements, in the order of rows */
  readArray(bytes, name, type = "f32") {
    return this.withMemory((memory) => {
      const [file, fileSize] = memory.text(name);
      const [wanted, wantedSize] = memory.text(type);
      const at = memory.bytes(bytes);
      this.check(this.call("hologram_web_read_array", at, bytes.length, file, fileSize, wanted, wantedSize));
      const array = JSON.parse(this.text());
      const first = this.call("hologram_web_array");
      const size = this.call("hologram_web_array_bytes");
      return { ...array, bytes: this.#exports.memory.buffer.slice(first, first + size) };
    });
  }

  /** How many bytes the module has taken from the page. */
  get bytes() {
    return this.#exports.memory.buffer.byteLength;
  }

  // ---- For Module and Kernel

  /** A function of web/engine/engine.h. */
  call(name, ...values) {
    if (this.#stopped !== "") throw fail(ErrorCode.internal, this.#stopped);
    try {
      return this.#exports[name](...values);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      // Its memory may be half written.
      this.#stopped = `the engine stopped (${error.message}${this.#written.text}), perhaps without memory; load it again`;
      throw fail(ErrorCode.internal, this.#stopped);
    }
  }

  text() {
    return new TextDecoder().decode(this.answer());
  }

  /** The same as bytes. */
  answer() {
    const at = this.call("hologram_web_text");
    const size = this.call("hologram_web_text_size");
    return new Uint8Array(this.#exports.memory.buffer, at, size).slice();
  }

  check(status) {
    if (status > 0) return status;
    const answer = JSON.parse(this.text());
    throw Array.isArray(answer) ? new HologramError(answer) : new HologramError(answer.errors, answer.launch);
  }

  #module(number) {
    return new Module(this, this.check(number), (use) => this.withMemory(use));
  }

  /** @template T @param {(memory: Memory) => T} use @returns {T} */
  withMemory(use) {
    const memory = new Memory(this, () => this.#exports.memory.buffer);
    try {
      return use(memory);
    } finally {
      if (this.#stopped === "") memory.release();
    }
  }
}

/** Memory of the module for one call. */
class Memory {
  #engine;
  #buffer;
  #pieces = [];

  constructor(engine, buffer) {
    this.#engine = engine;
    this.#buffer = buffer;
  }

  /** The memory of the module moves when it grows: a view is good until the next allocation. */
  get buffer() {
    return this.#buffer();
  }

  get view() {
    return new DataView(this.buffer);
  }

  allocate(size) {
    const at = this.#engine.call("hologram_web_alloc", size);
    if (at === 0) throw fail(ErrorCode.resourceLimit, `no memory for ${size} bytes`);
    this.#pieces.push(at);
    return at;
  }

  bytes(source) {
    const at = this.allocate(source.byteLength);
    new Uint8Array(this.buffer, at, source.byteLength)
      .set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    return at;
  }

  text(text) {
    const bytes = new TextEncoder().encode(text);
    return [this.bytes(bytes), bytes.length];
  }

  release() {
    for (const piece of this.#pieces) this.#engine.call("hologram_web_free", piece);
  }
}

/** The kernels of one document or file. */
export class Module {
  /** By name. @type {Record<string, Kernel>} */
  kernels = {};

  constructor(engine, number, withMemory) {
    this.engine = engine;
    this.number = number;
    engine.check(engine.call("hologram_web_kernels", number));
    const signatures = JSON.parse(engine.text());
    signatures.forEach((signature, k) => {
      this.kernels[signature.name] = new Kernel(engine, number, k, signature, withMemory);
    });
  }

  /** Gives their memory back; they cannot be used after that. */
  release() {
    this.engine.call("hologram_web_release", this.number);
  }
}

/** A verified kernel. */
export class Kernel {
  #engine;
  #module;
  #number;
  #withMemory;

  constructor(engine, module, number, signature, withMemory) {
    this.#engine = engine;
    this.#module = module;
    this.#number = number;
    this.#withMemory = withMemory;
    /** @type {string} */
    this.name = signature.name;
    /** The identity of the program, 64 hex digits. @type {string} */
    this.id = signature.id;
    /** Lanes of a block where a launch has none. @type {number} */
    this.block = signature.block;
    /** @type {Parameter[]} */
    this.parameters = signature.parameters;
  }

  /** "asm" (docs/assembly.md), "explain" (as `hologram verify --explain --level none`), "circuit" or
   * "calls" (docs/sigmatics.md), "written" (the calls before the circuit became canonical), "operations" (how many
   * that saves).
   * @param {"asm" | "explain" | "circuit" | "calls" | "written" | "operations"} form */
  view(form) {
    return this.#withMemory((memory) => {
      this.#engine.check(this.#engine.call("hologram_web_view", this.#module, this.#number, ...memory.text(form)));
      return this.#engine.text();
    });
  }

  /**
   * Checks and runs a launch. Arrays that a kernel writes are changed when it has succeeded, and left
   * alone when it throws. Views of one ArrayBuffer may overlap as far as the kernel allows it. Arrays of
   * f16 and bf16 are Uint16Array. A last argument that is {grid, block, deterministic} is the shape.
   * @param {...(Argument | Config)} values
   * @returns {Launched}
   */
  launch(...values) {
    const config = takeConfig(values);
    return this.#withMemory((memory) => {
      const regions = copyRegions(memory, values);
      const places = this.#writeArguments(memory, (array) => addressOf(regions, array), values);
      const status = this.#engine.call(
        "hologram_web_launch", this.#module, this.#number, places.arguments, places.shapes, values.length,
        writeConfig(memory, config));
      this.#engine.check(status);
      const launched = JSON.parse(this.#engine.text());
      this.#copyBack(memory, regions, values);
      return launched;
    });
  }

  /**
   * For compiled code: the shape of a launch, and whether the proofs cover it. The arrays lie where `placeOf`
   * says, and are not read.
   * @param {(array: TypedArray) => number} placeOf @param {Argument[]} values @param {Config} config
   * @returns {{grid: number[], block: number[], proved: boolean}}
   */
  decide(placeOf, values, config) {
    return this.#withMemory((memory) => {
      const places = this.#writeArguments(memory, placeOf, values);
      this.#engine.check(this.#engine.call(
        "hologram_web_decide", this.#module, this.#number, places.arguments, places.shapes, values.length,
        writeConfig(memory, config)));
      return JSON.parse(this.#engine.text());
    });
  }

  #writeArguments(memory, placeOf, values) {
    const shapes = values.map((value) => writeShape(memory, value));
    const shapesAt = memory.allocate(4 * values.length);
    const at = memory.allocate(BYTES_OF_ARGUMENT * values.length);
    const view = memory.view;
    shapes.forEach((shape, k) => view.setUint32(shapesAt + 4 * k, shape, true));
    values.forEach((value, k) => {
      const argument = at + BYTES_OF_ARGUMENT * k;
      for (let offset = 0; offset < BYTES_OF_ARGUMENT; offset += 4) view.setUint32(argument + offset, 0, true);
      const array = arrayOf(value);
      if (array === null) {
        writeScalar(view, argument, value, this.parameters[k]?.type ?? "f64");
        return;
      }
      view.setUint32(argument, codeOfArray(array, this.parameters[k]) | FLAG_BUFFER | FLAG_WRITABLE, true);
      if (array.byteLength === 0) return;
      view.setUint32(argument + 8, placeOf(array), true);
      view.setBigUint64(argument + 16, BigInt(array.byteLength), true);
    });
    return { arguments: at, shapes: shapesAt };
  }

  #copyBack(memory, regions, values) {
    values.forEach((value, k) => {
      const array = arrayOf(value);
      if (array === null || array.byteLength === 0 || this.parameters[k].direction === "in") return;
      const bytes = new Uint8Array(memory.buffer, addressOf(regions, array), array.byteLength);
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(bytes);
    });
  }
}

// A number goes in the type of its parameter: floats rounded to it, as everywhere in JavaScript. An integer
// that does not fit is for the engine to refuse.
function writeScalar(view, at, value, type) {
  const word = at + 24;
  const isFloat = type === "f32" || type === "f64" || type === "f16" || type === "bf16";
  if (typeof value === "boolean") value = Number(value);
  if (typeof value !== "number" && typeof value !== "bigint") {
    throw fail(ErrorCode.invalidArgument, `expected a number or a typed array, found ${value}`);
  }
  if (isFloat && type !== "f64") {
    view.setUint32(at, CODES.get("f32"), true);
    view.setFloat32(word, Number(value), true);
  } else if (isFloat || (typeof value === "number" && !Number.isInteger(value))) {
    view.setUint32(at, CODES.get("f64"), true);
    view.setFloat64(word, Number(value), true);
  } else if (value < 0) {
    view.setUint32(at, CODES.get("i64"), true);
    view.setBigInt64(word, BigInt(value), true);
  } else {
    view.setUint32(at, CODES.get("u64"), true);
    view.setBigUint64(word, BigInt(value), true);
  }
}

// 0: one dimension, as long as it is.
function writeShape(memory, value) {
  if (arrayOf(value) === null || ArrayBuffer.isView(value)) return 0;
  const shape = value.shape;
  if (!Array.isArray(shape) || shape.length > MOST_DIMENSIONS) {
    throw fail(ErrorCode.invalidArgument, `shape: expected at most ${MOST_DIMENSIONS} dimensions`);
  }
  const at = memory.allocate(BYTES_OF_SHAPE);
  const view = memory.view;
  for (let offset = 0; offset < BYTES_OF_SHAPE; offset += 4) view.setUint32(at + offset, 0, true);
  view.setUint32(at, shape.length, true);
  shape.forEach((extent, k) => view.setBigUint64(at + 8 + 8 * k, BigInt(extent), true));
  return at;
}

function writeConfig(memory, config) {
  const at = memory.allocate(BYTES_OF_CONFIG);
  const view = memory.view;
  for (let offset = 0; offset < BYTES_OF_CONFIG; offset += 4) view.setUint32(at + offset, 0, true);
  const triple = (values, offset) => {
    if (values === undefined) return;
    for (let k = 0; k < 3; ++k) view.setUint32(at + offset + 4 * k, values[k] ?? 1, true);
  };
  triple(config.grid, 0);
  triple(config.block, 12);
  view.setUint32(at + 32, config.deterministic === false ? 1 : 0, true);
  return at;
}
