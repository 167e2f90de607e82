// A drawing of eight by eight values from 0 to 16, by a pointer on a canvas of as many pixels.

const SIDE = 8;
const FULL = 16;

export class Ink {
  values = new Float32Array(SIDE * SIDE);
  #canvas;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#touch(event);
    };
    canvas.onpointermove = (event) => event.buttons !== 0 && this.#touch(event);
    this.#show();
  }

  get isEmpty() {
    return this.values.every((value) => value === 0);
  }

  /** @param {ArrayLike<number>} values */
  set(values) {
    this.values.set(values);
    this.#show();
  }

  clear() {
    this.values.fill(0);
    this.#show();
  }

  // A soft pen, about a pixel and a half wide.
  #touch(event) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    const x = (event.clientX - left) / width * SIDE - 0.5;
    const y = (event.clientY - top) / height * SIDE - 0.5;
    for (let k = 0; k < this.values.length; ++k) {
      const near = Math.max(1.2 - Math.hypot(k % SIDE - x, Math.floor(k / SIDE) - y), 0);
      this.values[k] = Math.min(this.values[k] + FULL * near, FULL);
    }
    this.#show();
  }

  #show() {
    const image = new ImageData(SIDE, SIDE);
    this.values.forEach((value, k) => image.data.set([value, value, value].map((v) => v * 15.9).concat(255), 4 * k));
    this.#canvas.getContext("2d").putImageData(image, 0, 0);
  }
}
