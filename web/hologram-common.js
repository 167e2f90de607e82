// What the two engines of hologram.js have in common: errors, the types of arrays, where arrays lie.

/**
 * @typedef {Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array |
 *   Uint32Array | BigInt64Array | BigUint64Array | Float32Array | Float64Array} TypedArray
 * @typedef {{data: TypedArray, shape: number[]}} Shaped an array of several dimensions, rows without gaps
 * @typedef {TypedArray | Shaped | number | bigint | boolean} Argument
 * @typedef {{grid?: number[], block?: number[], deterministic?: boolean}} Config
 * @typedef {{name: string, buffer: boolean, type: string, code: number, direction: "in" | "out" | "inout",
 *   rank: number}} Parameter
 * @typedef {{code: number, message: string, text: string, file: string, line: number, column: number}} Diagnostic
 * @typedef {{engine: string, reason: string, condition: string, checked: boolean, grid: number[],
 *   block: number[], prints: string}} Launched
 */

/** HOLOGRAM_ERROR_* of hologram.h. */
export const ErrorCode = Object.freeze({
  invalidText: 1, invalidKernel: 2, invalidProgram: 3, invalidBundle: 4, invalidArgument: 5, fault: 6,
  notFound: 7, unsupported: 8, resourceLimit: 9, internal: 10, cancelled: 11,
});

/** What the C interface gives as hologram_error. `message` is its text, all errors in lines of their own. */
export class HologramError extends Error {
  /** @param {Diagnostic[]} errors @param {Launched} [launched] what was done of a launch that failed */
  constructor(errors, launched) {
    super(errors.map((error) => error.text).join("\n"));
    this.name = "HologramError";
    this.code = errors[0].code;
    this.errors = errors;
    this.launched = launched;
  }
}

/** Of a typed array, by its constructor. */
export const TYPE_OF_ARRAY = new Map([
  [Int8Array, "i8"], [Uint8Array, "u8"], [Uint8ClampedArray, "u8"], [Int16Array, "i16"],
  [Uint16Array, "u16"], [Int32Array, "i32"], [Uint32Array, "u32"], [BigInt64Array, "i64"],
  [BigUint64Array, "u64"], [Float32Array, "f32"], [Float64Array, "f64"],
]);
// enum HOLOGRAM_I8, ... of hologram.h
export const CODES = new Map(["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"]
  .map((name, code) => [name, code]));

/** @param {string} text */
const diagnostic = (code, text) =>
  ({ code, message: text, text: `hologram: error: ${text}`, file: "", line: 0, column: 0 });

/** @param {number} code @param {string} text */
export const fail = (code, text) => new HologramError([diagnostic(code, text)]);

/** The typed array of an argument; null: it is a scalar. @param {unknown} value @returns {TypedArray | null} */
export function arrayOf(value) {
  if (ArrayBuffer.isView(value)) return value;
  return typeof value === "object" && value !== null && ArrayBuffer.isView(value.data) ? value.data : null;
}

/** The type of an array as HOLOGRAM_* of hologram.h; an Uint16Array is one of the half types if the parameter is. */
export function codeOfArray(array, parameter) {
  const type = TYPE_OF_ARRAY.get(array.constructor);
  if (type === undefined) throw fail(ErrorCode.invalidArgument, `${array.constructor.name} is no array of numbers`);
  const isHalf = parameter?.type === "f16" || parameter?.type === "bf16";
  return CODES.get(type === "u16" && isHalf ? parameter.type : type);
}

/**
 * A copy of the memory of the arrays of a launch: views of one ArrayBuffer that overlap do so in the copy.
 * @param {{bytes: (source: Uint8Array) => number}} memory @param {unknown[]} values
 */
export function copyRegions(memory, values) {
  const byBuffer = new Map();
  for (const array of values.map(arrayOf)) {
    if (array === null || array.byteLength === 0) continue;
    if (!byBuffer.has(array.buffer)) byBuffer.set(array.buffer, []);
    // In steps of 16 bytes, so that elements are aligned.
    byBuffer.get(array.buffer)
      .push({ first: array.byteOffset - (array.byteOffset % 16), end: array.byteOffset + array.byteLength, at: 0 });
  }
  for (const [buffer, pieces] of byBuffer) {
    pieces.sort((a, b) => a.first - b.first);
    const regions = [pieces[0]];
    for (const piece of pieces.slice(1)) {
      const last = regions.at(-1);
      if (piece.first >= last.end) regions.push(piece);
      else last.end = Math.max(last.end, piece.end);
    }
    for (const region of regions) {
      region.at = memory.bytes(new Uint8Array(buffer, region.first, region.end - region.first));
    }
    byBuffer.set(buffer, regions);
  }
  return byBuffer;
}

/** Where the copy of an array is. */
export function addressOf(regions, array) {
  const region = regions.get(array.buffer).find(({ end }) => end >= array.byteOffset + array.byteLength);
  return region.at + array.byteOffset - region.first;
}

/** The shape of a launch, if the last value is one; it is taken off `values`. @returns {Config} */
export function takeConfig(values) {
  const last = values.at(-1);
  const isConfig = typeof last === "object" && last !== null && !ArrayBuffer.isView(last) && !("data" in last);
  return /** @type {Config} */ (isConfig ? values.pop() : {});
}

/** @param {number[]} extents */
export const product = (extents) => extents.reduce((all, extent) => all * extent, 1);

/** The extents of an array. */
export function shapeOf(value) {
  return ArrayBuffer.isView(value) || !Array.isArray(value.shape) ? [arrayOf(value).length] : value.shape;
}

/** Whether an array has as many dimensions as a parameter wants. */
export function hasRank(value, { rank }) {
  if (rank === 0) return true;
  const extents = shapeOf(value);
  return extents.length === rank && product(extents) <= 2 ** 32;
}

/** The bits of a number in a type, as a word; null: the type has no such number.
 * @param {unknown} value @param {string} type @returns {bigint | null} */
export function wordOf(value, type) {
  if (typeof value === "boolean") value = Number(value);
  if (typeof value !== "number" && typeof value !== "bigint") return null;
  const view = new DataView(new ArrayBuffer(8));
  if (type === "f64") view.setFloat64(0, Number(value), true);
  else if (type === "f32") view.setFloat32(0, Number(value), true);
  else if (type === "f16" || type === "bf16") return halfWord(Number(value), type);
  else return integerWord(value, type);
  return view.getBigUint64(0, true);
}

function integerWord(value, type) {
  if (typeof value === "number" && !Number.isInteger(value)) return null;
  const bits = Number(type.slice(1));
  const number = BigInt(value);
  const word = BigInt.asUintN(bits, number);
  return (type[0] === "i" ? BigInt.asIntN(bits, word) : word) === number ? word : null;
}

// Through f32, as the engine has it.
function halfWord(value, type) {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value, true);
  const bits = view.getUint32(0, true);
  const [digits, bias] = type === "f16" ? [10, 15] : [7, 127];
  const sign = (bits >>> 31) << 15;
  const size = bits & 0x7fffffff;
  const infinity = (2 * bias + 1) << digits;
  if (size > 0x7f800000) return BigInt(infinity | (1 << (digits - 1)));
  if (size === 0x7f800000) return BigInt(sign | infinity);
  // The number in units of the last place that it has in the type, to the nearest even one.
  const number = Math.abs(view.getFloat32(0, true));
  const exponent = Math.max((size >>> 23) - 127, 1 - bias);
  const unit = 2 ** (exponent - digits);
  const whole = Math.floor(number / unit);
  const rest = number / unit - whole;
  const rounded = whole + (rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? 1 : 0);
  const field = rounded + (exponent + bias - 1) * 2 ** digits;
  return field >= infinity ? null : BigInt(sign | field);
}
