// A lane, line by line. The kernel that is stepped through is the one on the page with a print before each statement,
// which the lane alone reaches: the values are those of the engine, and the lane runs among all others.

/**
 * @typedef {{line: number, names: string[]}} Place a statement, and what is printed there
 * @typedef {{line: number, values: [string, string][]}} Step
 */

const MARK = "@step";
const NUMBER = "\u0001";  // before numbers of the document, which are kept as they are written
// Functions that give the same value again, and change nothing.
const PURE = new Set([
  "abs", "min", "max", "fma", "sqrt", "rsqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos",
  "tan", "tanh", "sigmoid", "erf", "pow", "atan2", "floor", "ceil", "round", "select", "len", "clamp",
  "get_global_id", "get_local_id", "get_block_id", "get_block_dim", "get_grid_dim",
  "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "bool",
]);
const DIMENSIONS = 3;

/** JSON whose numbers keep their spelling: 2.0 is a float, and 2^64 - 1 itself. */
function parse(text) {
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (part) => (part[0] === '"' ? part : `"\\u0001${part}"`)));
}

function spell(document) {
  return JSON.stringify(document).replace(/"\\u0001([^"]*)"/g, "$1");
}

const isPure = (node) => {
  if (Array.isArray(node)) return node.every(isPure);
  if (typeof node !== "object" || node === null) return true;
  if (node.type === "call" && !PURE.has(node.function)) return false;
  return Object.values(node).every(isPure);
};

const common = (one, other) => {
  if (one === null || other === null) return one ?? other;
  return new Map([...one].filter(([name]) => other.has(name)));
};

class Instrumented {
  /** @type {Place[]} */
  places = [];
  #arrays = new Map();  // types of elements
  #lane;

  /** @param {number[]} lane its place in the launch @param {number} dimensions of the launch */
  constructor(kernel, lane, dimensions) {
    this.#lane = { lane, dimensions };
    const names = new Map();
    for (const { name, type } of kernel.params) {
      if (type.kind === "scalar") names.set(name, true);
      if (type.kind === "device_array") this.#arrays.set(name, type.element_type.type);
    }
    const { body, names: after } = this.#block(kernel.body, names);
    // The end of the kernel, where the last values are seen.
    if (after !== null) body.push(this.#record({ ...kernel, line: kernel.end_line, col: `${NUMBER}1`, end_col: `${NUMBER}2` }, after));
    this.kernel = { ...kernel, body };
  }

  /** The statements with their prints, and the names that are assigned behind them; null: the end is not reached. */
  #block(statements, names) {
    const body = [];
    let now = new Map(names);
    for (const statement of statements) {
      if (now === null) {
        body.push(statement);
        continue;
      }
      body.push(this.#record(statement, now));
      const { replaced, after } = this.#statement(statement, now);
      body.push(replaced);
      now = after;
    }
    return { body, names: now };
  }

  #statement(statement, names) {
    const after = new Map(names);
    switch (statement.type) {
      case "let":
        this.#assign(statement.name, statement.value, after);
        break;
      case "assign":
        if (statement.target.type === "var") this.#assign(statement.target.name, statement.value, after);
        break;
      case "unpack":
        for (const target of statement.targets) if (target.type === "var") after.set(target.name, true);
        break;
      case "if": {
        const yes = this.#block(statement.then_body, names);
        const no = this.#block(statement.else_body ?? [], names);
        const replaced = { ...statement, then_body: yes.body, else_body: statement.else_body === null ? null : no.body };
        return { replaced, after: yes.names === null && no.names === null ? null : common(yes.names, no.names) };
      }
      case "for":
      case "while": {
        const inside = new Map(names);
        if (statement.type === "for") inside.set(statement.var, true);
        const { body, names: end } = this.#block(statement.body, inside);
        // Back at the line of the loop.
        if (end !== null) body.push(this.#record(statement, end));
        return { replaced: { ...statement, body }, after };
      }
      case "return":
      case "break":
      case "continue":
        return { replaced: statement, after: null };
      default:
    }
    return { replaced: statement, after };
  }

  #assign(name, value, names) {
    const isArray = value.type === "call" && (value.function === "shared" || value.function === "local");
    if (isArray) this.#arrays.set(name, value.args[0]?.name);
    else names.set(name, true);
  }

  #record(statement, names) {
    const where = (({ line, col, end_line, end_col }) => ({ line, col, end_line, end_col }))(statement);
    const values = [...names.keys()].map((name) => ({ type: "var", name, ...where }));
    const shown = [...names.keys()];
    const stored = this.#stored(statement, where);
    if (stored !== null) {
      values.push(stored);
      shown.push(statement.target.text);
    }
    const parts = [`${MARK}${this.places.length}`];
    for (const value of values) parts.push("|", value);
    parts.push("\n");
    this.places.push({ line: Number(statement.line.slice(1)), names: shown });
    const print = { type: "print", parts, ...where };
    return { type: "if", condition: this.#isLane(where), then_body: [print], else_body: null, ...where };
  }

  /** What `a[i] = value` is about to store, where it can be computed twice. */
  #stored(statement, where) {
    if (statement.type !== "assign" || statement.target.type !== "index" || !isPure(statement.value)) return null;
    const type = this.#arrays.get(statement.target.array.name);
    if (type === undefined || !PURE.has(type)) return null;
    return { type: "call", function: type, args: [statement.value], kwargs: {}, ...where };
  }

  #isLane(where) {
    const { lane, dimensions } = this.#lane;
    const literal = (value) => ({ type: "literal", value, kind: "int", ...where });
    const tests = Array.from({ length: dimensions }, (_, k) => ({
      type: "binary_op", op: "eq", right: literal(lane[k]), ...where,
      left: { type: "call", function: "get_global_id", args: [literal(k)], kwargs: {}, ...where },
    }));
    return tests.length === 1 ? tests[0] : { type: "bool_op", op: "and", values: tests, ...where };
  }
}

/**
 * The document with one kernel that prints at each statement of one lane.
 * @param {string} json @param {string} name of the kernel, or of an instance of it
 * @param {number[]} lane @param {number[]} lanes of the launch, in each dimension
 * @returns {{json: string, places: Place[]}}
 */
export function instrument(json, name, lane, lanes) {
  const document = parse(json);
  const kernel = document.kernels.find((one) => one.name === name) ??
    document.kernels.find((one) => name.startsWith(`${one.name}_`));
  if (kernel === undefined) throw new Error(`there is no kernel '${name}'`);
  const dimensions = Math.max(1, lanes.findLastIndex((count) => count > 1) + 1);
  const made = new Instrumented(kernel, lane, dimensions);
  const kernels = document.kernels.map((one) => (one === kernel ? made.kernel : one));
  return { json: spell({ ...document, kernels }), places: made.places };
}

/** @param {string} prints of the launch @param {Place[]} places @returns {Step[]} */
export function readSteps(prints, places) {
  return prints.split("\n").flatMap((text) => {
    const at = text.indexOf(`] ${MARK}`);
    if (at < 0) return [];
    const [number, ...values] = text.slice(at + 2 + MARK.length).split("|");
    const { line, names } = places[Number(number)];
    return [{ line, values: names.slice(0, values.length).map((name, k) => [name, values[k]]) }];
  });
}

/** "7", "3, 5": a lane of the launch. @param {string} text @param {number[]} lanes */
export function laneOf(text, lanes) {
  const numbers = text.split(/[\s,]+/).filter(Boolean).map(Number);
  const lane = Array.from({ length: DIMENSIONS }, (_, k) => numbers[k] ?? 0);
  const isIn = numbers.length <= DIMENSIONS && lane.every((at, k) => Number.isInteger(at) && at >= 0 && at < lanes[k]);
  if (!isIn) throw new Error(`lane: expected numbers below ${lanes.join(", ")}, found '${text}'`);
  return lane;
}
