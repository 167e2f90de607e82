// Arrays by small expressions: `arange(100)`, `sin(linspace(0, 6.28, 200))`, `random(64, 64)`, `len(src)`.
// A value is a number or {data: number[], shape: number[]}; operators and functions work element by element.
// `file("photo.png")` is an array that was dropped on the page, and `u8(...)` one of that type: both have `array`, with
// the bits that an argument gets.
import { fromHalf, isHalf, toHalf } from "./halves.js";

/**
 * @typedef {import("../hologram.js").TypedArray} TypedArray
 * @typedef {{data: Float64Array, shape: number[], type?: string, array?: TypedArray}} Grid
 * @typedef {number | Grid} Value
 */

export const MOST_ELEMENTS = 1 << 24;

class ExpressionError extends Error {}

const isGrid = (value) => typeof value === "object";

function makeGrid(shape, element) {
  const count = shape.reduce((a, b) => a * b, 1);
  if (!shape.every((extent) => Number.isInteger(extent) && extent >= 0)) {
    throw new ExpressionError(`expected whole numbers for the shape, found ${shape.join(", ")}`);
  }
  if (count > MOST_ELEMENTS) throw new ExpressionError(`at most ${MOST_ELEMENTS} elements, found ${count}`);
  const data = new Float64Array(count);
  for (let k = 0; k < count; ++k) data[k] = element(k);
  return { data, shape };
}

function each(operation, ...values) {
  const grid = values.find(isGrid);
  if (grid === undefined) return operation(...values);
  for (const value of values) {
    if (isGrid(value) && value.data.length !== grid.data.length) {
      throw new ExpressionError(`arrays of ${grid.data.length} and ${value.data.length} elements do not meet`);
    }
  }
  return makeGrid(grid.shape, (k) => operation(...values.map((value) => (isGrid(value) ? value.data[k] : value))));
}

// The same numbers in every browser: a generator of our own.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    let mixed = state ^ (state >>> 15);
    mixed = Math.imul(mixed, 0x2c1b3c6d);
    mixed ^= mixed >>> 12;
    return (mixed >>> 8) / 0x1000000;
  };
}

// A picture that is there without a file: rings, a disc and a wedge.
function picture(width, height) {
  return makeGrid([height, width], (k) => {
    const x = (2 * (k % width)) / width - 1;
    const y = (2 * Math.floor(k / width)) / height - 1;
    const far = Math.hypot(x - 0.3, y + 0.2);
    const ring = Math.floor(far * 9) % 2 === 0 ? 0.25 : 0.55;
    if (Math.hypot(x + 0.45, y - 0.35) < 0.35) return 0.95;
    return x > y + 0.9 ? 0.1 : ring;
  });
}

function reshape(value, ...shape) {
  if (!isGrid(value)) throw new ExpressionError("expected reshape(array, extent, ...)");
  const made = makeGrid(shape, (k) => value.data[k]);
  if (made.data.length !== value.data.length) {
    throw new ExpressionError(`${value.data.length} elements have no shape ${shape.join(" x ")}`);
  }
  return { ...value, data: made.data, shape };
}

const unary = (operation) => (value) => each(operation, value);
const binary = (operation) => (a, b) => each(operation, a, b);

const FUNCTIONS = {
  arange: (first, last) => (last === undefined ? makeGrid([first], (k) => k) : makeGrid([last - first], (k) => first + k)),
  linspace: (first, last, count) => makeGrid([count], (k) => first + ((last - first) * k) / Math.max(1, count - 1)),
  zeros: (...shape) => makeGrid(shape, () => 0),
  ones: (...shape) => makeGrid(shape, () => 1),
  full: (value, ...shape) => makeGrid(shape, () => value),
  random: (...shape) => makeGrid(shape, generator(1)),
  integers: (limit, ...shape) => {
    const next = generator(2);
    return makeGrid(shape, () => Math.floor(next() * limit));
  },
  image: (width = 128, height = width) => picture(width, height),
  reshape,
  len: (value) => (isGrid(value) ? value.data.length : 1),
  sin: unary(Math.sin), cos: unary(Math.cos), exp: unary(Math.exp), log: unary(Math.log),
  sqrt: unary(Math.sqrt), abs: unary(Math.abs), floor: unary(Math.floor), ceil: unary(Math.ceil),
  min: binary(Math.min), max: binary(Math.max),
  shape: (value, k) => {
    const extent = isGrid(value) ? value.shape[k] : undefined;
    if (extent === undefined) throw new ExpressionError(`expected shape(array, dimension), dimensions are counted from 0`);
    return extent;
  },
};

const OPERATORS = {
  "+": binary((a, b) => a + b), "-": binary((a, b) => a - b), "*": binary((a, b) => a * b),
  "/": binary((a, b) => a / b), "%": binary((a, b) => a - b * Math.floor(a / b)), "**": binary((a, b) => a ** b),
};
const PRECEDENCE = [["+", "-"], ["*", "/", "%"]];
const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)|"([^"]*)"|(\*\*|[-+*/%(),[\]]))/y;

function tokens(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== "") {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new ExpressionError(`unexpected '${text.slice(at).trim()[0]}'`);
    if (match[1] !== undefined) found.push({ number: Number(match[1]) });
    else if (match[3] !== undefined) found.push({ quoted: match[3] });
    else found.push({ text: match[2] ?? match[4], isName: !!match[2] });
  }
  return found;
}

class Parser {
  #tokens;
  #at = 0;
  #names;
  #files;

  constructor(text, names, files) {
    this.#tokens = tokens(text);
    this.#names = names;
    this.#files = files;
  }

  all() {
    const value = this.#sum(0);
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw new ExpressionError(`unexpected '${rest.text ?? rest.number ?? rest.quoted}'`);
    return value;
  }

  #peek(text) {
    const token = this.#tokens[this.#at];
    return token !== undefined && token.text === text;
  }

  #take(text) {
    if (!this.#peek(text)) return false;
    ++this.#at;
    return true;
  }

  #expect(text) {
    if (!this.#take(text)) throw new ExpressionError(`expected '${text}'`);
  }

  #sum(level) {
    if (level === PRECEDENCE.length) return this.#sign();
    let value = this.#sum(level + 1);
    for (;;) {
      const operator = PRECEDENCE[level].find((text) => this.#take(text));
      if (operator === undefined) return value;
      value = OPERATORS[operator](value, this.#sum(level + 1));
    }
  }

  #sign() {
    if (this.#take("-")) return OPERATORS["-"](0, this.#sign());
    const base = this.#atom();
    return this.#take("**") ? OPERATORS["**"](base, this.#sign()) : base;
  }

  #list(end) {
    const values = [];
    if (this.#take(end)) return values;
    do values.push(this.#sum(0)); while (this.#take(","));
    this.#expect(end);
    return values;
  }

  #atom() {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new ExpressionError("expected a value");
    if (token.number !== undefined) return token.number;
    if (token.text === "(") {
      const value = this.#sum(0);
      this.#expect(")");
      return value;
    }
    if (token.text === "[") {
      const values = this.#list("]");
      if (values.some(isGrid)) throw new ExpressionError("expected numbers between [ and ]; reshape(...) gives an array rows");
      return makeGrid([values.length], (k) => values[k]);
    }
    if (!token.isName) throw new ExpressionError(`unexpected '${token.text ?? token.quoted}'`);
    return this.#named(token.text);
  }

  #file() {
    this.#expect("(");
    const name = this.#tokens[this.#at++]?.quoted;
    if (name === undefined) throw new ExpressionError('expected a name, as file("photo.png")');
    this.#expect(")");
    const found = this.#files.get(name);
    if (found === undefined) throw new ExpressionError(`there is no file "${name}" here; drop it on the page`);
    return found;
  }

  #named(name) {
    if (name === "file") return this.#file();
    if (!Object.hasOwn(FUNCTIONS, name)) {
      if (Object.hasOwn(this.#names, name)) return this.#names[name];
      if (name === "pi") return Math.PI;
      throw new ExpressionError(`'${name}' is not known; there are ${Object.keys(FUNCTIONS).join(", ")}`);
    }
    const given = this.#take("(") ? this.#list(")") : [];
    return FUNCTIONS[name](...given);
  }
}

const ARRAYS = {
  i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array,
  i64: BigInt64Array, u64: BigUint64Array, f32: Float32Array, f64: Float64Array, f16: Uint16Array, bf16: Uint16Array,
};

for (const type of Object.keys(ARRAYS)) {
  FUNCTIONS[type] = (value) => {
    const grid = isGrid(value) ? value : makeGrid([1], () => value);
    return grid.type === type ? grid : typedGrid(toArray(grid, type), grid.shape, type);
  };
}

/** The value of an expression. @param {string} text @param {Record<string, Value>} names
 * @param {Map<string, Grid>} files @returns {Value} */
export function evaluate(text, names = {}, files = new Map()) {
  return new Parser(text, names, files).all();
}

/** An array of a type, from a file for example. @param {TypedArray} array @param {number[]} shape @returns {Grid} */
export function typedGrid(array, shape, type) {
  const data = Float64Array.from(array, isHalf(type) ? (bits) => fromHalf(bits, type) : Number);
  return { data, shape, type, array };
}

/** An array of the type of a parameter. */
export function toArray(grid, type) {
  const Kind = ARRAYS[type];
  if (Kind === undefined) throw new ExpressionError(`the playground has no arrays of ${type}`);
  if (isHalf(type)) return Kind.from(grid.data, (value) => toHalf(value, type));
  const isWide = type === "i64" || type === "u64";
  return Kind.from(grid.data, (value) => (isWide ? BigInt(Math.trunc(value)) : value));
}

/** The bytes of a file as an array. @param {ArrayBuffer} bytes @param {string} type */
export const arrayOfBytes = (bytes, type) => new ARRAYS[type](bytes);

function arrayFor(parameter, grid) {
  if (grid.array === undefined) return toArray(grid, parameter.type);
  if (grid.type !== parameter.type) {
    throw new ExpressionError(`expected ${parameter.type}, found ${grid.type}; ${parameter.type}(...) converts`);
  }
  return grid.array.slice();  // each argument has memory of its own
}

/**
 * The arguments of a launch. Later expressions may name earlier parameters. A parameter without a text has that of
 * usualText.
 * @param {{name: string, buffer: boolean, type: string, rank: number}[]} parameters
 * @param {Record<string, string>} texts by parameter @param {Map<string, Grid>} files
 * @returns {{value: any, shape: number[]}[] & {names?: Record<string, Value>}}
 */
export function argumentsOf(parameters, texts, files = new Map()) {
  const names = {};
  const values = parameters.map((parameter) => {
    try {
      const text = texts[parameter.name] ?? usualText(parameter, parameters);
      const value = evaluate(text, names, files);
      if (isGrid(value) !== parameter.buffer) {
        throw new ExpressionError(parameter.buffer ? "expected an array, as arange(100)" : "expected a number");
      }
      names[parameter.name] = value;
      if (!parameter.buffer) return { value, shape: [] };
      const data = arrayFor(parameter, value);
      return { value: parameter.rank > 1 ? { data, shape: value.shape } : data, shape: value.shape };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new ExpressionError(`${parameter.name}: ${error.message}`);
    }
  });
  return Object.assign(values, { names });
}

/** A grid or a block: up to three numbers, which may name parameters. @returns {number[] | undefined} undefined: no text */
export function extentsOf(text, names) {
  if (text.trim() === "") return undefined;
  const value = evaluate(`[${text}]`, names);
  if (value.data.length > 3 || !value.data.every((extent) => Number.isInteger(extent) && extent > 0)) {
    throw new ExpressionError(`grid and block: expected up to three whole numbers, found ${text}`);
  }
  return [...value.data];
}

const SIDES = [[100], [100], [10, 10], [5, 5, 4], [5, 5, 2, 2]];

/** The expression of a parameter for which the user has none: a hundred elements in as many dimensions as it has, and
 * for a whole number how many there are along one of the dimensions that the kernel counts. */
export function usualText(parameter, parameters) {
  const sides = SIDES[parameter.rank ?? 0];
  if (parameter.buffer) return sides.length === 1 ? "arange(100)" : `reshape(arange(100), ${sides.join(", ")})`;
  if (!/^[iu]/.test(parameter.type)) return "1";
  const counts = parameters.filter(({ buffer, type }) => !buffer && /^[iu]/.test(type));
  return counts.length > 1 ? "10" : "100";
}
