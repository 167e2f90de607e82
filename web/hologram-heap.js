// The memory of compiled kernels (hologram-compiled.js).

import { arrayOf, ErrorCode, fail, TYPE_OF_ARRAY } from "./hologram-common.js";

/** @typedef {import("./hologram-common.js").TypedArray} TypedArray */

const PAGE = 65536;
const MOST_PAGES = 65536;
const STACK_BYTES = 1 << 20;
const ALIGNMENT = 64;

/** @param {number} value @param {number} step */
export const roundUp = (value, step) => Math.ceil(value / step) * step;

/**
 * The memory of compiled kernels: a stack, the data of their code, arrays, and for the time of a launch
 * what lies elsewhere. Kernels of several files that share a heap share its arrays.
 */
export class Heap {
  #top = STACK_BYTES;
  #free = [];

  /** @param {{bytes?: number}} [options] how many bytes of arrays there is room for without growing */
  constructor({ bytes = 0 } = {}) {
    const initial = Math.ceil((STACK_BYTES + bytes) / PAGE) + 1;
    this.memory = new WebAssembly.Memory({ initial, maximum: MOST_PAGES });
    this.stack = new WebAssembly.Global({ value: "i32", mutable: true }, STACK_BYTES);
  }

  /**
   * An array in this memory, all zeros: launches use it in place. Its `data` is a new view when the memory
   * has grown, so ask for it rather than keep it.
   * @param {string} type "f32", "u8", ...; "f16" and "bf16" are kept in an Uint16Array
   * @param {number | number[]} shape @returns {HeapArray}
   */
  array(type, shape) {
    const kind = type === "f16" || type === "bf16" ? "u16" : type;
    const found = [...TYPE_OF_ARRAY].find(([, name]) => name === kind);
    if (found === undefined) throw fail(ErrorCode.invalidArgument, `'${type}' is no type of arrays`);
    const extents = Array.isArray(shape) ? shape : [shape];
    return new HeapArray(this, found[0], extents);
  }

  // ---- For arrays and kernels

  /** After code that was stopped in the middle. */
  resetStack() {
    this.stack.value = STACK_BYTES;
  }

  /** An argument that is a view of this memory, as one that outlives its growth. */
  lasting(value) {
    const array = arrayOf(value);
    if (array?.buffer !== this.memory.buffer || value instanceof HeapArray) return value;
    const { constructor, byteOffset, length } = array;
    const { memory } = this;
    const shape = ArrayBuffer.isView(value) ? [length] : value.shape;
    return { shape, get data() { return new constructor(memory.buffer, byteOffset, length); } };
  }

  /** Room that stays until it is released, aligned. */
  take(bytes) {
    const size = roundUp(Math.max(bytes, 1), ALIGNMENT);
    const k = this.#free.findIndex((piece) => piece.size >= size);
    if (k < 0) {
      const at = this.#top;
      this.reach(at + size);
      this.#top += size;
      return at;
    }
    const piece = this.#free[k];
    const at = piece.at;
    if (piece.size === size) this.#free.splice(k, 1);
    else Object.assign(piece, { at: at + size, size: piece.size - size });
    return at;
  }

  give(at, bytes) {
    this.#free.push({ at, size: roundUp(Math.max(bytes, 1), ALIGNMENT) });
    this.#free.sort((a, b) => a.at - b.at);
    const joined = [];
    for (const piece of this.#free) {
      const last = joined.at(-1);
      if (last !== undefined && last.at + last.size === piece.at) last.size += piece.size;
      else joined.push(piece);
    }
    if (joined.at(-1).at + joined.at(-1).size === this.#top) this.#top = joined.pop().at;
    this.#free = joined;
  }

  /** Where nothing is taken from. */
  get top() {
    return this.#top;
  }

  reach(end) {
    const missing = end - this.memory.buffer.byteLength;
    if (missing <= 0) return;
    try {
      this.memory.grow(Math.ceil(missing / PAGE));
    } catch {
      throw fail(ErrorCode.resourceLimit, `no memory for ${missing} bytes`);
    }
  }
}

/** An array in a heap; a launch takes it as it takes {data, shape}. */
export class HeapArray {
  #heap;
  #kind;
  #at;
  #length;

  constructor(heap, kind, shape) {
    this.#heap = heap;
    this.#kind = kind;
    this.#length = shape.reduce((product, extent) => product * extent, 1);
    this.#at = heap.take(this.#length * kind.BYTES_PER_ELEMENT);
    this.shape = shape;
    this.data.fill(/** @type {never} */ (kind === BigInt64Array || kind === BigUint64Array ? 0n : 0));
  }

  /** @returns {TypedArray} */
  get data() {
    if (this.#at < 0) throw fail(ErrorCode.invalidArgument, "the array was released");
    return new this.#kind(this.#heap.memory.buffer, this.#at, this.#length);
  }

  /** Gives its memory back; it cannot be used after that. */
  release() {
    if (this.#at < 0) return;
    this.#heap.give(this.#at, this.#length * this.#kind.BYTES_PER_ELEMENT);
    this.#at = -1;
  }
}

/** Memory behind the top of a heap, for one launch. */
export class Temporary {
  constructor(heap) {
    this.heap = heap;
    this.end = heap.top;
  }

  take(bytes) {
    const at = roundUp(this.end, ALIGNMENT);
    this.end = at + bytes;
    this.heap.reach(this.end);
    return at;
  }

  bytes(source) {
    const at = this.take(source.byteLength);
    new Uint8Array(this.heap.memory.buffer, at, source.byteLength).set(source);
    return at;
  }
}
