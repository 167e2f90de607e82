// A program of live.json: arrays of a heap, launches of compiled kernels before the first frame and in each.
// web/live.py runs the same by the native command.

const BLOCK = [16, 16];

export class LiveProgram {
  #kernels;
  #arrays = {};
  #frames = 0;

  /** @param {any} program @param {import("../hologram.js").CompiledModule} module */
  constructor(program, module) {
    this.program = program;
    this.#kernels = module.kernels;
    this.heap = module.heap;
    const { width, height } = program;
    this.grid = [Math.ceil(width / BLOCK[0]), Math.ceil(height / BLOCK[1])];
    for (const [name, type] of Object.entries(program.arrays)) {
      this.#arrays[name] = this.heap.array(type, [height, width]);
    }
    this.restart();
  }

  /** The picture as it is now, four bytes to a pixel. @returns {Uint32Array} */
  get pixels() {
    return this.#arrays.pixels.data;
  }

  restart() {
    for (const array of Object.values(this.#arrays)) array.data.fill(0);
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
    this.#kernels[name].launch(...given, { grid: this.grid, block: BLOCK });
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
