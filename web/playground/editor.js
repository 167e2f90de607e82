// A text area with colours behind it, line numbers and errors before it, proofs beside it.

const KEYWORDS = /^(?:def|if|elif|else|for|in|while|return|and|or|not|from|import|pass|break|continue|True|False)$/;
const TYPES = /^(?:f16|bf16|f32|f64|[iu](?:8|16|32|64)|DeviceArray|SharedArray)$/;
const TOKENS = /(#[^\n]*)|("""[\s\S]*?(?:"""|$)|"[^"\n]*"?|'[^'\n]*'?)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function coloured(text) {
  let html = "";
  let at = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [token, comment, string, number, name] = match;
    const kind = comment ? "c" : string ? "s" : number ? "n" : KEYWORDS.test(name) ? "k" : TYPES.test(name) ? "t" : "";
    html += escaped(text.slice(at, match.index));
    // A string may have several lines, and each line is wrapped by itself below.
    html += kind ? token.split("\n").map((line) => `<span class="${kind}">${escaped(line)}</span>`).join("\n") : escaped(token);
    at = match.index + token.length;
  }
  return html + escaped(text.slice(at));
}

export class Editor {
  #source = document.getElementById("source");
  #highlight = document.getElementById("highlight");
  #gutter = document.getElementById("gutter");
  #proofs = document.getElementById("proofs");
  #bad = new Set();
  #stops = new Set();
  #here = 0;
  /** Called with the number of a line that is clicked. */
  onLine = (_line) => {};

  /** `changed` is called when the user has typed. */
  constructor(changed) {
    this.#source.addEventListener("input", () => {
      this.mark([]);
      changed();
    });
    this.#source.addEventListener("keydown", (event) => this.#key(event, changed));
    this.#gutter.addEventListener("click", (event) => {
      const line = Number(/** @type {HTMLElement} */ (event.target).textContent);
      if (line > 0 && event.target !== this.#gutter) this.onLine(line);
    });
  }

  get text() {
    return this.#source.value;
  }

  set text(text) {
    this.#source.value = text;
    this.mark([]);
    this.proofs([]);
  }

  /** Lines that have errors. @param {number[]} lines from 1 */
  mark(lines) {
    this.#bad = new Set(lines);
    const html = coloured(this.text).split("\n");
    this.#highlight.innerHTML = `${html.map((line, k) => {
      const kind = this.#kindOf(k + 1);
      return kind === "bad" || kind === "here" ? `<span class="${kind}">${line || " "}</span>` : line;
    }).join("\n")}\n`;
    this.#gutter.innerHTML = html.map((_, k) => `<span class="${this.#kindOf(k + 1)}">${k + 1}</span>`).join("\n");
    this.#source.setAttribute("aria-invalid", String(lines.length > 0));
  }

  #kindOf(line) {
    if (line === this.#here) return "here";
    return this.#bad.has(line) ? "bad" : this.#stops.has(line) ? "stop" : "";
  }

  /** The line before which a lane is; 0: none. @param {number} line */
  here(line) {
    if (line === this.#here) return;
    this.#here = line;
    this.mark([...this.#bad]);
  }

  /** @param {number[]} lines */
  breakpoints(lines) {
    this.#stops = new Set(lines);
    this.mark([...this.#bad]);
  }

  /** @param {{line: number, kind: string, text: string}[]} proofs as `verify --explain` gives them */
  proofs(proofs) {
    const byLine = new Map();
    for (const proof of proofs) byLine.set(proof.line, [...(byLine.get(proof.line) ?? []), proof]);
    this.#proofs.replaceChildren(...this.text.split("\n").map((_, k) => {
      const element = document.createElement("span");
      const found = byLine.get(k + 1) ?? [];
      const worst = ["race", "guarded", "proved"].find((kind) => found.some((proof) => proof.kind === kind));
      if (worst !== undefined) {
        element.className = worst;
        const of = found.filter((proof) => proof.kind === worst);
        element.textContent = `${worst === "proved" ? "✓" : "!"} ${[...new Set(of.map((proof) => proof.access))].join(", ")}`;
        element.title = found.map((proof) => proof.text).join("\n");
      }
      return element;
    }));
  }

  #key(event, changed) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    // As deep as the line before, and one step more behind a colon.
    const before = this.text.slice(0, this.#source.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = line.match(/^ */)[0] + (line.trimEnd().endsWith(":") ? "    " : "");
    event.preventDefault();
    this.#source.setRangeText(`\n${indent}`, this.#source.selectionStart, this.#source.selectionEnd, "end");
    this.mark([]);
    changed();
  }
}

/** The lines of `verify --explain` by their places in the source. */
export function readProofs(explained) {
  return explained.split("\n").flatMap((text) => {
    const match = /^.*?:(\d+):\d+: (proved|guarded|race|lanes) +(.*?)(?:  (.*))?$/.exec(text);
    if (match === null || match[2] === "lanes") return [];
    return [{ line: Number(match[1]), kind: match[2], access: match[3], text: `${match[2]}  ${match[3]}  ${match[4] ?? ""}` }];
  });
}
