// Floats of 16 bits as JavaScript has none: rounded to nearest even, every NaN the same one.

const KINDS = { f16: { fraction: 10, bias: 15 }, bf16: { fraction: 7, bias: 127 } };

/** @param {string} type */
export const isHalf = (type) => Object.hasOwn(KINDS, type);

function exponentOf(value) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return ((view.getUint32(0) >>> 20) & 0x7ff) - 1023;
}

function toEven(value) {
  const rounded = Math.round(value);
  return value % 1 === 0.5 && rounded % 2 === 1 ? rounded - 1 : rounded;
}

/** @param {number} value @param {string} type f16 or bf16 @returns {number} its bits */
export function toHalf(value, type) {
  const { fraction, bias } = KINDS[type];
  const infinity = (2 * bias + 1) << fraction;
  if (Number.isNaN(value)) return infinity | (1 << (fraction - 1));
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === Infinity) return sign | infinity;
  const exponent = Math.max(exponentOf(size), 1 - bias);
  // A carry goes on into the exponent, and a number below the normal ones has none.
  const bits = toEven(size / 2 ** (exponent - fraction)) + ((exponent + bias - 1) << fraction);
  return sign | Math.min(bits, infinity);
}

/** @param {number} bits @param {string} type */
export function fromHalf(bits, type) {
  const { fraction, bias } = KINDS[type];
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits & 0x7fff) >> fraction;
  const steps = bits & ((1 << fraction) - 1);
  if (exponent === 2 * bias + 1) return steps === 0 ? sign * Infinity : NaN;
  const whole = exponent === 0 ? steps : steps + (1 << fraction);
  return sign * whole * 2 ** (Math.max(exponent, 1) - bias - fraction);
}
