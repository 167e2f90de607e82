// A drawing of eight by eight values from 0 to 16, by a pointer on a canvas of as many pixels.

const SIDE = 8;
const FULL = 16;
const PEN = 1.2;  // pixels from the middle of the line to where it ends
const STEP = 0.25;

export class Ink {
  values = new Float32Array(SIDE * SIDE);
  #canvas;
  #last = [0, 0];  // where the pen is

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#last = this.#placeOf(event);
      this.#lineTo(this.#last);
    };
    canvas.onpointermove = (event) => event.buttons !== 0 && this.#lineTo(this.#placeOf(event));
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

  #placeOf(event) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    return [(event.clientX - left) / width * SIDE - 0.5, (event.clientY - top) / height * SIDE - 0.5];
  }

  // However fast the pointer was: the page hears of some places on its way alone.
  #lineTo([x, y]) {
    const [x0, y0] = this.#last;
    const steps = Math.max(1, Math.ceil(Math.hypot(x - x0, y - y0) / STEP));
    for (let k = 1; k <= steps; ++k) this.#touch(x0 + (x - x0) * k / steps, y0 + (y - y0) * k / steps);
    this.#last = [x, y];
    this.#show();
  }

  // A soft pen: full in the middle.
  #touch(x, y) {
    for (let k = 0; k < this.values.length; ++k) {
      const near = Math.min(PEN - Math.hypot(k % SIDE - x, Math.floor(k / SIDE) - y), 1);
      this.values[k] = Math.max(this.values[k], FULL * near);
    }
  }

  #show() {
    const image = new ImageData(SIDE, SIDE);
    this.values.forEach((value, k) => image.data.set([value, value, value].map((v) => v * 15.9).concat(255), 4 * k));
    this.#canvas.getContext("2d").putImageData(image, 0, 0);
  }
}
