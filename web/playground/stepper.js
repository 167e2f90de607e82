// The view that walks through a lane: forward and back, to the next line with a breakpoint, values of the locals.
import { instrument, laneOf, readSteps } from "./steps.js";

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export class Stepper {
  #editor;
  #trace;
  #steps = [];
  #at = 0;
  #lane = "0";
  #breakpoints = new Set();
  #root = make("div", { className: "stepper" });
  #note = make("p", { className: "note" });
  #where = make("p", { id: "step-where" });
  #values = make("table", {});

  /** `trace` runs the document that it gets and gives {prints, fault}. */
  constructor(editor, trace) {
    this.#editor = editor;
    this.#trace = trace;
    this.#where.setAttribute("role", "status");
    editor.onLine = (line) => this.#toggle(line);
  }

  get element() {
    return this.#root;
  }

  /** Another program: its breakpoints are others. */
  reset() {
    this.#lane = "0";
    this.#breakpoints.clear();
    this.#editor.breakpoints([]);
  }

  /** Of the launch that was made last. @param {{json: string, kernel: string, lanes: number[]}} launch */
  async show(launch) {
    this.#build(launch);
    await this.#start(launch);
  }

  hide() {
    this.#editor.here(0);
  }

  #build(launch) {
    const button = (id, text, onclick) => make("button", { id, type: "button", textContent: text, onclick });
    const lane = make("input", { id: "step-lane", value: this.#lane, size: 8, onchange: () => {
      this.#lane = lane.value;
      void this.#start(launch);
    } });
    const lines = make("input", { id: "step-lines", size: 8, placeholder: "none", value: [...this.#breakpoints].join(", "), onchange: () => {
      this.#breakpoints = new Set(lines.value.split(/[\s,]+/).map(Number).filter((line) => line > 0));
      this.#editor.breakpoints([...this.#breakpoints]);
    } });
    const controls = make("div", { className: "shape" },
      make("label", {}, "lane ", lane), make("label", {}, "breakpoints, lines ", lines),
      button("step-back", "Back", () => this.#go(this.#at - 1)), button("step-next", "Step", () => this.#go(this.#at + 1)),
      button("step-on", "Continue", () => this.#go(this.#next())), button("step-first", "Restart", () => this.#go(0)));
    this.#root.replaceChildren(controls, this.#note, this.#where, this.#values);
  }

  async #start({ json, kernel, lanes }) {
    this.#steps = [];
    try {
      const { json: traced, places } = instrument(json, kernel, laneOf(this.#lane, lanes), lanes);
      const { prints, note } = await this.#trace(traced);
      this.#steps = readSteps(prints, places);
      this.#note.textContent = this.#steps.length === 0 && note === "" ? "this lane has no statement" : note;
    } catch (error) {
      this.#note.textContent = error.message;
    }
    this.#go(0);
    this.#root.dataset.lane = this.#lane;
  }

  /** The next step at a line with a breakpoint, else the last one. */
  #next() {
    const found = this.#steps.findIndex(({ line }, k) => k > this.#at && this.#breakpoints.has(line));
    return found < 0 ? this.#steps.length - 1 : found;
  }

  #toggle(line) {
    if (!this.#breakpoints.delete(line)) this.#breakpoints.add(line);
    this.#editor.breakpoints([...this.#breakpoints]);
    const input = document.getElementById("step-lines");
    if (input) input.value = [...this.#breakpoints].join(", ");
  }

  #go(to) {
    this.#at = Math.min(Math.max(to, 0), Math.max(this.#steps.length - 1, 0));
    const step = this.#steps[this.#at];
    this.#editor.here(step?.line ?? 0);
    this.#where.textContent = step === undefined ? "" : `before line ${step.line}; step ${this.#at + 1} of ${this.#steps.length}`;
    const before = new Map(this.#steps[this.#at - 1]?.values ?? []);
    const rows = (step?.values ?? []).map(([name, value]) => {
      const row = make("tr", {}, make("th", { scope: "row", textContent: name }), make("td", { textContent: value }));
      if (before.get(name) !== value) row.className = "changed";
      return row;
    });
    this.#values.replaceChildren(make("caption", { textContent: "Values of the lane" }), ...rows);
    this.#root.dataset.step = String(this.#at);
  }
}
