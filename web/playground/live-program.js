// A program of live.json: arrays of a heap, launches of compiled kernels before the first frame and in each.
// web/live.py runs the same by the native command.

const BLOCK = [16, 16];

export class LiveProgram {
  #kernels;
  #arrays = {};
  #frames = 0;
  #data;

  /** @param {any} program @param {import("../hologram.js").CompiledModule} module
   * @param {ArrayBuffer} [data] what arrays begin with that have a place in it */
  constructor(program, module, data = new ArrayBuffer(0)) {
    this.program = program;
    this.#kernels = module.kernels;
    this.heap = module.heap;
    this.#data = data;
    const { width, height } = program;
    this.shape = { grid: [Math.ceil(width / BLOCK[0]), Math.ceil(height / BLOCK[1])], block: BLOCK };
    for (const [name, array] of Object.entries(program.arrays)) {
      const { type, shape = [height, width] } = typeof array === "string" ? { type: array } : array;
      this.#arrays[name] = this.heap.array(type, shape);
    }
    this.restart();
  }

  /** An array as it is now. @param {string} name */
  array(name) {
    return this.#arrays[name].data;
  }

  /** The picture as it is now, four bytes to a pixel. @returns {Uint32Array} */
  get pixels() {
    return this.array("pixels");
  }

  restart() {
    for (const [name, { data }] of Object.entries(this.#arrays)) {
      data.fill(0);
      const { at } = this.program.arrays[name];
      if (typeof at !== "number") continue;  // a string has a function of that name
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      bytes.set(new Uint8Array(this.#data, at, data.byteLength));
    }
    this.#frames = 0;
    this.#run(this.program.start);
  }

  frame() {
    if (this.#frames === this.program.loop) this.restart();
    this.#run(this.program.frame);
    ++this.#frames;
  }

  #run(steps) {
    for (const step of steps) {
      if (Array.isArray(step)) this.#launch(step);
      else if (step.swap) this.#swap(step.swap);
      else for (let k = 0; k < step.repeat; ++k) this.#run(step.of);
    }
  }

  #swap([one, other]) {
    [this.#arrays[one], this.#arrays[other]] = [this.#arrays[other], this.#arrays[one]];
  }

  #launch([name, ...values]) {
    const given = values.map((value) =>
      (typeof value === "string" ? this.#arrays[value] : typeof value === "number" ? value : this.#numberOf(value)));
    this.#kernels[name].launch(...given, this.program.shapes?.[name] ?? this.shape);
  }

  // One that changes from frame to frame, by one operation each time: the same number in every language.
  #numberOf({ from, plus = 0, times = 1 }) {
    let value = from;
    for (let k = 0; k < this.#frames; ++k) value = value * times + plus;
    return value;
  }
}

/** @param {BufferSource} bytes @returns {Promise<string>} 64 hex digits */
export async function hashOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
