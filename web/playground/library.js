// The module hologram-library.wasm for Python programs (web/native): requests are JSON, and arrays lie in the memory of
// Python, from where a call copies them to the module and back.
import { addressOf, copyRegions, HologramError } from "./hologram-common.js";

const BUFFER = 0x10;
const BYTES_OF = { argument: 32, shape: 72, config: 64, reduction: 64, matrix: 16, steps: 4 * 10 * 12 };

export class Library {
  #engine;
  #heap;

  /** @param {import("./hologram.js").Engine} engine @param {() => ArrayBuffer} heap the memory of Python */
  constructor(engine, heap) {
    this.#engine = engine;
    this.#heap = heap;
  }

  /** A call of Python: {failed, text, number, bytes}. */
  call(name, request) {
    try {
      return { failed: false, text: "", ...this.#engine.withMemory((memory) => this[name](memory, JSON.parse(request))) };
    } catch (error) {
      if (!(error instanceof HologramError)) throw error;
      return { failed: true, text: JSON.stringify(error.errors) };
    }
  }

  #ask(name, ...values) {
    const number = this.#engine.check(this.#engine.call(name, ...values));
    return { number, text: this.#engine.text() };
  }

  // ---- Bundles and circuits

  open(memory, { address, size }) {
    return this.#ask("hologram_web_open", memory.bytes(this.#bytes([address, size])), size);
  }

  close(_memory, { bundle }) {
    this.#engine.call("hologram_web_close", bundle);
    return {};
  }

  release(_memory, { module }) {
    this.#engine.call("hologram_web_release", module);
    return {};
  }

  find(memory, { bundle, name }) {
    const { number, text } = this.#ask("hologram_web_find", bundle, ...memory.text(name));
    const [signature] = JSON.parse(this.#ask("hologram_web_kernels", number).text);
    return { number, text: JSON.stringify({ ...JSON.parse(text), signature }) };
  }

  bundle(memory, { form, text, file, entry, constants }) {
    const pairs = constants.flat().map((part) => `${part}\0`).join("");
    const texts = [form, text, file, entry, pairs].flatMap((part) => memory.text(part));
    this.#engine.check(this.#engine.call("hologram_web_bundle", ...texts));
    const bytes = this.#engine.answer();
    this.#engine.call("hologram_web_warnings");
    return { bytes, text: this.#engine.text() };
  }

  atlas() {
    return this.#ask("hologram_web_atlas");
  }

  canonical(memory, { text }) {
    return this.#ask("hologram_web_canonical", ...memory.text(text));
  }

  view(memory, { module, form }) {
    return this.#ask("hologram_web_view", module, 0, ...memory.text(form));
  }

  // ---- Launches

  launch(memory, request) {
    const given = request.arguments;
    const views = given.map(([code, , address, size]) => (code & BUFFER ? this.#bytes([address, size]) : null));
    const regions = copyRegions(memory, views);
    const placeOf = (k) => (views[k] === null || given[k][3] === 0 ? 0 : addressOf(regions, views[k]));
    const status = this.#engine.call("hologram_web_launch", request.module, 0, ...this.#arguments(memory, request, placeOf));
    if (status <= 0) return { failed: true, text: this.#engine.text() };
    const text = this.#engine.text();
    this.#copyBack(memory, regions, views.filter((array, k) => array !== null && given[k][4]));
    return { text };
  }

  // ---- Parts of launches: arrays of the request have their bytes and no memory

  units(memory, request) {
    return this.#ask("hologram_web_units", request.module, ...this.#arguments(memory, request));
  }

  reach(memory, request) {
    const window = this.#words(memory, [request.first, request.last, 0]);
    return this.#ask("hologram_web_reach", request.module, ...this.#arguments(memory, request), window);
  }

  launchWindow(memory, request) {
    const { module, first, last, base, parts } = request;
    const views = parts.map(([address, size]) => this.#bytes([address, size]));
    const regions = copyRegions(memory, views);
    const bases = this.#words(memory, base);
    const window = this.#words(memory, [first, last, bases]);
    const places = this.#words(memory, views.flatMap((view) => [view.byteLength === 0 ? 0 : addressOf(regions, view), view.byteLength]));
    const given = this.#arguments(memory, request);
    const status = this.#engine.call("hologram_web_launch_window", module, ...given, window, places);
    if (status <= 0) return { failed: true, text: this.#engine.text() };
    const text = this.#engine.text();
    this.#copyBack(memory, regions, views.filter((_, k) => parts[k][2]));
    return { text };
  }

  plan(memory, request) {
    const { module, window, depth, moves, reads } = request;
    const stream = this.#words(memory, [window, depth, moves, reads]);
    return this.#ask("hologram_web_plan", module, ...this.#arguments(memory, request), stream);
  }

  planApart(memory, { sizes, length, row, window, depth }) {
    const stream = this.#words(memory, [window, depth, 0, 0]);
    const at = this.#words(memory, sizes);
    return this.#ask("hologram_web_plan_apart", at, sizes.length, BigInt(length), BigInt(row), stream);
  }

  reduce(memory, { steps, x, y, out, code, axes, extents, strides, numbers, indices }) {
    const views = [x, y, out].map((place) => (place === null ? null : this.#bytes(place)));
    const regions = copyRegions(memory, views);
    const table = this.#steps(memory, steps);
    const sizes = memory.allocate(16 * Math.max(extents.length, 1));
    const at = memory.allocate(BYTES_OF.reduction);
    const view = memory.view;
    extents.forEach((extent, d) => view.setBigInt64(sizes + 8 * d, BigInt(extent), true));
    strides.forEach((stride, d) => view.setBigInt64(sizes + 8 * (extents.length + d), BigInt(stride), true));
    const places = views.map((array) => (array === null ? 0 : addressOf(regions, array)));
    [...places, code, extents.length, 0].forEach((part, k) => view.setUint32(at + 4 * k, part, true));
    [axes, numbers[0] ?? 0, numbers[1] ?? 0].forEach((word, k) => view.setBigUint64(at + 24 + 8 * k, BigInt(word), true));
    [numbers.length, indices ? 1 : 0, sizes, sizes + 8 * extents.length]
      .forEach((part, k) => view.setUint32(at + 48 + 4 * k, part, true));
    this.#ask("hologram_web_reduce", table, at);
    this.#copyBack(memory, regions, [views[2]]);
    return {};
  }

  multiply(memory, { steps, matrices, numbers, code }) {
    const views = matrices.map((place) => this.#bytes(place));
    const regions = copyRegions(memory, views);
    const table = this.#steps(memory, steps);
    const at = memory.allocate(BYTES_OF.matrix * 3);
    const sizes = memory.allocate(4 * numbers.length);
    const view = memory.view;
    views.forEach((array, k) => {
      view.setUint32(at + BYTES_OF.matrix * k, addressOf(regions, array), true);
      view.setBigUint64(at + BYTES_OF.matrix * k + 8, BigInt(array.byteLength), true);
    });
    numbers.forEach((number, k) => view.setUint32(sizes + 4 * k, number, true));
    this.#ask("hologram_web_multiply", table, at, sizes, code);
    this.#copyBack(memory, regions, [views[2]]);
    return {};
  }

  // ---- What the package has besides kernels

  cycle(memory, { name, state, numbers }) {
    const at = memory.allocate(8 * Math.max(numbers.length, 1));
    const view = memory.view;
    numbers.forEach((number, k) => view.setBigInt64(at + 8 * k, BigInt(number), true));
    return this.#ask("hologram_web_cycle", ...memory.text(name), state, at, numbers.length);
  }

  qsim(memory, { name, text, file, shots, seed, single, fuse }) {
    const word = BigInt.asUintN(64, BigInt(seed));
    const halves = [Number(word & 0xffffffffn), Number(word >> 32n)];
    const texts = [name, text, file].flatMap((part) => memory.text(part));
    this.#engine.check(this.#engine.call("hologram_web_qsim", ...texts, shots, ...halves, single ? 1 : 0, fuse ? 1 : 0));
    return name === "state" ? { bytes: this.#engine.answer() } : { text: this.#engine.text() };
  }

  // ---- Memory

  #bytes([address, size]) {
    return new Uint8Array(this.#heap(), address, size);
  }

  #shape(memory, extents) {
    const at = memory.allocate(BYTES_OF.shape);
    const view = memory.view;
    for (let k = 0; k < BYTES_OF.shape; k += 4) view.setUint32(at + k, 0, true);
    view.setUint32(at, extents.length, true);
    extents.forEach((extent, d) => view.setBigUint64(at + 8 + 8 * d, BigInt(extent), true));
    return at;
  }

  // Words of 64 bits, as numbers or as texts of them.
  #words(memory, values) {
    const at = memory.allocate(8 * Math.max(values.length, 1));
    const view = memory.view;
    values.forEach((value, k) => view.setBigUint64(at + 8 * k, BigInt(value), true));
    return at;
  }

  // The arguments of a launch, their shapes and its config, as all kinds of launches take them.
  #arguments(memory, { arguments: given, shapes, grid, block, budget, deterministic }, placeOf = () => 0) {
    const at = memory.allocate(BYTES_OF.argument * given.length);
    const shapesAt = memory.allocate(4 * given.length);
    const extents = shapes.map((shape) => (shape === null ? 0 : this.#shape(memory, shape)));
    const config = memory.allocate(BYTES_OF.config);
    const view = memory.view;
    given.forEach(([code, word, , size], k) => {
      [code, 0, placeOf(k), 0].forEach((part, j) => view.setUint32(at + BYTES_OF.argument * k + 4 * j, part, true));
      view.setBigUint64(at + BYTES_OF.argument * k + 16, BigInt(size), true);
      view.setBigUint64(at + BYTES_OF.argument * k + 24, BigInt(word), true);
      view.setUint32(shapesAt + 4 * k, extents[k], true);
    });
    for (let k = 0; k < BYTES_OF.config; k += 4) view.setUint32(config + k, 0, true);
    [...grid, ...block].forEach((size, k) => view.setUint32(config + 4 * k, size, true));
    view.setBigUint64(config + 24, BigInt(budget), true);
    view.setUint32(config + 32, deterministic ? 0 : 1, true);
    return [at, shapesAt, given.length, config];
  }

  // The kernels of an operation, by step and type.
  #steps(memory, steps) {
    const at = memory.allocate(BYTES_OF.steps);
    const view = memory.view;
    for (let k = 0; k < BYTES_OF.steps; k += 4) view.setUint32(at + k, 0, true);
    for (const [step, code, module] of steps) view.setUint32(at + 4 * (12 * step + code), module, true);
    return at;
  }

  #copyBack(memory, regions, views) {
    for (const array of views) {
      if (array.byteLength === 0) continue;
      array.set(new Uint8Array(memory.buffer, addressOf(regions, array), array.byteLength));
    }
  }
}
