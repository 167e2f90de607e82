// Kernels that `hologram compile --emit wasm` has compiled: loaded, checked and launched on typed arrays.
// hologram.js exports what is public here; docs/webassembly.md is its manual.
//
// A launch goes to the code if the check that is compiled into it accepts the arguments. Every other launch,
// and every fault, is the engine's: it has the same program, decides exactly, and words the errors.

import {
  addressOf, arrayOf, codeOfArray, copyRegions, ErrorCode, fail, hasRank, product, shapeOf, takeConfig, wordOf,
} from "./hologram-common.js";
import { Heap, roundUp, Temporary } from "./hologram-heap.js";

/**
 * @typedef {import("./hologram-common.js").Argument} Argument
 * @typedef {import("./hologram-common.js").Config} Config
 * @typedef {import("./hologram-common.js").Launched} Launched
 * @typedef {import("./hologram-common.js").Parameter} Parameter
 * @typedef {import("./hologram.js").Engine} Engine
 * @typedef {import("./hologram.js").Kernel} Kernel
 * @typedef {{default_entry: boolean, block: number[], unit: number, scratch: number, faults: boolean, order_free: boolean,
 *   shapes: {array: number, of: "extent" | "stride", dimension: number}[]}} Code
 */

const VERSION = 1;  // of the description
const ABI = 10;  // HOLOGRAM_NATIVE_ABI_VERSION
// include/hologram/native_abi.h, with pointers in the low half of their 8 bytes
const BYTES_OF_BUFFER = 16;
const BYTES_OF_SCALAR = 8;
const BYTES_OF_SHAPE = 24;
const STATE = { budget: 0, faultLane: 8, faultIndex: 16, faultCode: 28, classBase: 32, alone: 36, scratch: 40 };
const BYTES_OF_STATE = 48;
const DEFAULT_BUDGET = 1n << 24n;
const MOST_BYTES = 1n << 31n;
const SCRATCH_LANES = 64;
const DONE = 0;
const UNPROVED = 1;

// Two functions, f32 and f64, that return relaxed_madd of their arguments.
const PROBE = "AGFzbQEAAAABDwJgA319fQF9YAN8fHwBfAMDAgABBw0CA2YzMgAAA2Y2NAABCisCFAAgAP0TIAH9EyAC/RP9hQL9HwALFAAgAP0UIAH9FCAC/RT9hwL9IQAL";

let fused;

/** Whether relaxed_madd exists here and rounds once, of f32 and of f64: found out once in each process, as
 * engines and machines may differ. */
export function isMaddFused() {
  if (fused === undefined) {
    const bytes = Uint8Array.from(atob(PROBE), (character) => character.charCodeAt(0));
    fused = WebAssembly.validate(bytes) && roundsOnce(new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports);
  }
  return fused;
}

// x * x - (x * x rounded) is what rounding took away; it is 0 where the product was rounded first.
function roundsOnce({ f32, f64 }) {
  return f32(1 + 2 ** -12, 1 + 2 ** -12, -(1 + 2 ** -11)) === 2 ** -24 &&
    f64(1 + 2 ** -27, 1 + 2 ** -27, -(1 + 2 ** -26)) === 2 ** -54;
}

/**
 * The kernels of a file that `hologram compile --emit wasm` has made.
 * @param {BufferSource} bytes
 * @param {{engine?: Engine, heap?: Heap, fused?: boolean}} [options] `engine`: decides what the code declines, and
 *   words faults. `fused`: false takes the software form of multiply-adds where that of the host is fused too
 * @returns {Promise<CompiledModule>}
 */
export async function loadCompiled(bytes, { engine, heap = new Heap(), fused: wanted = true } = {}) {
  let module = await WebAssembly.compile(bytes);
  const section = (name) => WebAssembly.Module.customSections(module, name)[0];
  const text = section("hologram");
  const description = text === undefined ? {} : JSON.parse(new TextDecoder().decode(text));
  if (description.version !== VERSION || description.abi !== ABI) {
    throw fail(ErrorCode.invalidBundle, text === undefined
      ? "the module has no description of kernels"
      : `the module is of version ${description.version}.${description.abi}, expected ${VERSION}.${ABI}; compile it again`);
  }
  const programs = engine?.loadBundle(new Uint8Array(section("hologram.bundle"))).kernels ?? {};
  const relaxed = section("hologram.relaxed");
  const usesFused = wanted && relaxed !== undefined && isMaddFused();
  if (usesFused) module = await WebAssembly.compile(relaxed);
  const base = new WebAssembly.Global({ value: "i32", mutable: false }, heap.take(description.data));
  const { exports } = await WebAssembly.instantiate(
    module, { hologram: { memory: heap.memory, base, stack: heap.stack } });
  return new CompiledModule(heap, description.kernels, exports, programs, usesFused);
}

export class CompiledModule {
  /** By name. @type {Record<string, CompiledKernel>} */
  kernels = {};

  constructor(heap, descriptions, exports, programs, isFused) {
    /** @type {Heap} */
    this.heap = heap;
    /** Whether multiply-adds are those of the host. @type {boolean} */
    this.fused = isFused;
    for (const { signature, code } of descriptions) {
      const program = programs[signature.name];
      if (program !== undefined && program.id !== signature.id) {
        throw fail(ErrorCode.invalidBundle, `the program of kernel '${signature.name}' is another than its code is of`);
      }
      this.kernels[signature.name] = new CompiledKernel(heap, signature, code, exports, program);
    }
  }
}

/** A compiled kernel. */
export class CompiledKernel {
  #heap;
  #code;
  #exports;
  #program;
  #frame;

  /** @param {Heap} heap @param {Code | null} code @param {Kernel} [program] */
  constructor(heap, signature, code, exports, program) {
    this.#heap = heap;
    this.#code = code;
    this.#program = program;
    this.#exports = exports;
    /** @type {string} */
    this.name = signature.name;
    /** The identity of the program, 64 hex digits. @type {string} */
    this.id = signature.id;
    /** Lanes of a block where a launch has none. @type {number} */
    this.block = signature.block;
    /** @type {Parameter[]} */
    this.parameters = signature.parameters;
    this.#frame = this.#makeFrame();
  }

  /**
   * Checks and runs a launch, as Kernel.launch does. Arrays of the heap of this module are used in place.
   * `engine` of the result is "wasm", or what ran in its stead, for the reason `declined`.
   * @param {...(Argument | Config)} values
   * @returns {Launched & {declined?: string}}
   */
  launch(...values) {
    const config = takeConfig(values);
    values = values.map((value) => this.#heap.lasting(value));
    if (this.#code === null) return this.#decide(values, config, "the kernel has no code in WebAssembly");
    if (!this.#code.order_free && config.deterministic !== false) {
      return this.#decide(values, config, "the order of lanes may be seen in its results");
    }
    const scalars = this.#bind(values);
    if (scalars === null) return this.#decide(values, config, "an argument needs a message");
    return this.#run(values, config, scalars);
  }

  // Where what a launch passes lies.
  #makeFrame() {
    if (this.#code === null) return null;
    const buffers = this.parameters.filter((parameter) => parameter.buffer).length;
    const scalars = this.parameters.length - buffers + this.#code.shapes.length;
    const size = BYTES_OF_BUFFER * buffers + BYTES_OF_SCALAR * scalars + BYTES_OF_SHAPE + BYTES_OF_STATE;
    const at = this.#heap.take(size);
    const scalarsAt = at + BYTES_OF_BUFFER * buffers;
    const shapeAt = scalarsAt + BYTES_OF_SCALAR * scalars;
    return { buffers: at, scalars: scalarsAt, shape: shapeAt, state: shapeAt + BYTES_OF_SHAPE };
  }

  // The words of the scalars, those of shapes last; null: some argument is wrong.
  #bind(values) {
    if (values.length !== this.parameters.length) return null;
    const words = [];
    for (const [k, parameter] of this.parameters.entries()) {
      const array = arrayOf(values[k]);
      if (parameter.buffer !== (array !== null)) return null;
      if (array === null) {
        const word = wordOf(values[k], parameter.type);
        if (word === null) return null;
        words.push(word);
      } else if (codeOfArray(array, parameter) !== parameter.code || !hasRank(values[k], parameter)) {
        return null;
      }
    }
    for (const { array, of, dimension } of this.#code.shapes) {
      const extents = shapeOf(values[array]);
      const value = of === "extent" ? extents[dimension] : product(extents.slice(dimension + 1));
      if (value > 0xffffffff) return null;
      words.push(BigInt(value));
    }
    return words;
  }

  // Null: only the engine knows.
  #shapeOf(values, config) {
    const triple = (sizes) => [...sizes, 1, 1, 1].slice(0, 3);
    const block = config.block === undefined ? this.#code.block : triple(config.block);
    if (config.grid !== undefined) return { grid: triple(config.grid), block };
    if (config.block !== undefined || !this.#code.default_entry) return null;
    const outputs = this.parameters.map((parameter, k) =>
      parameter.buffer && parameter.direction !== "in" ? arrayOf(values[k]).length : 0);
    return { grid: [Math.ceil(Math.max(...outputs) / block[0]), 1, 1], block };
  }

  #run(values, config, scalars) {
    const temporary = new Temporary(this.#heap);
    const regions = copyRegions(temporary, values.filter((value) => !this.#isInside(arrayOf(value))));
    const kept = this.#code.faults ? this.#keep(values, temporary) : [];
    const placeOf = (array) => (this.#isInside(array) ? array.byteOffset : addressOf(regions, array));
    let shape = this.#shapeOf(values, config);
    let result = UNPROVED;
    if (shape !== null) {
      this.#write(values, scalars, shape, placeOf, temporary);
      result = this.#enter(config.grid === undefined);
    }
    if (result === UNPROVED) {
      const decision = this.#program?.decide(placeOf, values, config);
      if (!decision?.proved) return this.#decide(values, config, "the proofs do not cover these arguments");
      shape = decision;
      if (shape.grid[0] === 0) return launched("", "the largest output is empty, so there is no lane", shape);
      this.#write(values, scalars, shape, placeOf, temporary);
      result = this.#runBody(shape);
    }
    const view = new DataView(this.#heap.memory.buffer);
    if (result === DONE && view.getUint32(this.#frame.state + STATE.faultCode, true) === 0) {
      this.#copyBack(values, placeOf);
      return launched("wasm", "", shape);
    }
    for (const { at, copy, bytes } of kept) new Uint8Array(view.buffer).copyWithin(at, copy, copy + bytes);
    const lane = view.getBigUint64(this.#frame.state + STATE.faultLane, true);
    return this.#decide(values, config, `lane ${lane} faulted`);
  }

  #isInside(array) {
    return array?.buffer === this.#heap.memory.buffer;
  }

  // Checks and runs, or returns UNPROVED.
  #enter(isDefault) {
    const { buffers, scalars, shape, state } = this.#frame;
    return isDefault
      ? this.#call("default_entry", buffers, scalars, MOST_BYTES, state)
      : this.#call("entry", buffers, scalars, shape, state);
  }

  // What the engine has checked.
  #runBody({ grid, block }) {
    const lanes = grid.map((blocks, d) => blocks * block[d]);
    const units = [lanes[0], lanes[1] * lanes[2], product(grid)][this.#code.unit];
    const { buffers, scalars, shape, state } = this.#frame;
    this.#call("body", buffers, scalars, shape, state, 0n, BigInt(units));
    return DONE;
  }

  #call(name, ...places) {
    try {
      return this.#exports[`${this.name}.${name}`](...places);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      this.#heap.resetStack();
      throw fail(ErrorCode.internal, `kernel '${this.name}': its code stopped (${error.message})`);
    }
  }

  // What a launch in place may have changed when it faults.
  #keep(values, temporary) {
    const kept = [];
    for (const [k, value] of values.entries()) {
      const array = arrayOf(value);
      const isWritten = array !== null && this.parameters[k].direction !== "in";
      if (!isWritten || !this.#isInside(array) || array.byteLength === 0) continue;
      const { byteOffset: at, byteLength: bytes } = array;
      const copy = temporary.take(bytes);
      new Uint8Array(this.#heap.memory.buffer).copyWithin(copy, at, at + bytes);
      kept.push({ at, bytes, copy });
    }
    return kept;
  }

  #write(values, scalars, shape, placeOf, temporary) {
    const lanes = roundUp(product(shape.block), SCRATCH_LANES);
    const scratch = this.#code.scratch === 0 ? 0 : temporary.take(this.#code.scratch * lanes);
    const view = new DataView(this.#heap.memory.buffer);
    let at = this.#frame.buffers;
    for (const array of values.map(arrayOf)) {
      if (array === null) continue;
      view.setUint32(at, array.byteLength === 0 ? 0 : placeOf(array), true);
      view.setUint32(at + 4, 0, true);
      view.setBigUint64(at + 8, BigInt(array.byteLength), true);
      at += BYTES_OF_BUFFER;
    }
    scalars.forEach((word, k) => view.setBigUint64(this.#frame.scalars + BYTES_OF_SCALAR * k, word, true));
    [...shape.grid, ...shape.block].forEach((size, k) => view.setUint32(this.#frame.shape + 4 * k, size, true));
    const { state } = this.#frame;
    view.setBigUint64(state + STATE.budget, DEFAULT_BUDGET, true);
    view.setBigInt64(state + STATE.faultLane, -1n, true);
    view.setUint32(state + STATE.faultCode, 0, true);
    view.setUint32(state + STATE.classBase, 0, true);
    view.setUint32(state + STATE.alone, 1, true);
    view.setUint32(state + STATE.scratch, scratch, true);
  }

  #copyBack(values, placeOf) {
    for (const [k, value] of values.entries()) {
      const array = arrayOf(value);
      const isWritten = array !== null && this.parameters[k].direction !== "in";
      if (!isWritten || this.#isInside(array) || array.byteLength === 0) continue;
      const bytes = new Uint8Array(this.#heap.memory.buffer, placeOf(array), array.byteLength);
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(bytes);
    }
  }

  // By the engine, which has the same program; a launch that has faulted does so again there.
  #decide(values, config, declined) {
    if (this.#program === undefined) {
      const isFault = declined.endsWith("faulted");
      throw fail(isFault ? ErrorCode.fault : ErrorCode.unsupported,
        `kernel '${this.name}' was not run: ${declined}; loadCompiled() with an engine decides it and says more`);
    }
    const launched = this.#program.launch(...values, config);
    return { ...launched, declined };
  }
}

function launched(engine, reason, { grid, block }) {
  return { engine, reason, condition: "", checked: false, grid, block, prints: "" };
}
