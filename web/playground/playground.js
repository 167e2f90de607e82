// The playground: a kernel is compiled as it is typed, its proofs and errors are shown at their lines, and it is
// launched on arrays made by small expressions. docs/site.md describes its parts.
import { Channel } from "./channel.js";
import { Editor, readProofs } from "./editor.js";
import { argumentsOf } from "./expressions.js";
import { figure } from "./results.js";
import { decode, encode } from "./link.js";

const TYPING_MS = 250;
const LAUNCH_LIMIT_MS = 20000;
const TABS = { result: "Result", explain: "Proofs", asm: "Instructions", circuit: "Circuit", json: "Kernel JSON" };
const $ = (id) => document.getElementById(id);
const at = (path) => new URL(path, import.meta.url).href;

const engine = new Channel(at("engine-worker.js"), { wasm: at("hologram.wasm") });
const python = new Channel(at("python-worker.js"), { pyodide: at("pyodide/"), frontend: at("frontend.json") });

const state = {
  /** @type {any[]} lessons and examples, with their Python and kernel JSON */ programs: [],
  program: null, kernels: [], texts: {}, json: "", tab: "result", pythonReady: false, edited: 0, result: null,
};
const editor = new Editor(() => edited());

// ---- Views

function showTabs() {
  $("tabs").replaceChildren(...Object.entries(TABS).map(([id, title]) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${id}`;
    tab.textContent = title;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-selected", String(state.tab === id));
    tab.setAttribute("aria-controls", "view");
    tab.tabIndex = state.tab === id ? 0 : -1;
    tab.onclick = () => show(id);
    tab.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const ids = Object.keys(TABS);
      show(ids[(ids.indexOf(id) + step + ids.length) % ids.length]);
      $(`tab-${state.tab}`).focus();
    };
    return tab;
  }));
  $("view").setAttribute("aria-labelledby", `tab-${state.tab}`);
}

function show(tab) {
  state.tab = tab;
  showTabs();
  if (tab === "result") return showResult();
  const block = document.createElement("pre");
  block.textContent = tab === "json" ? indented(state.json) : state.kernels.map((kernel) => kernel.views[tab]).join("\n");
  $("view").replaceChildren(block);
}

const indented = (json) => (json === "" ? "" : JSON.stringify(JSON.parse(json), null, 1));

function showResult() {
  const { figures = [], fault = "", prints = "" } = state.result ?? {};
  const parts = [];
  if (fault !== "") {
    const block = document.createElement("div");
    block.className = "fault";
    block.setAttribute("role", "alert");
    block.textContent = fault;
    parts.push(block);
  }
  if (prints !== "") {
    const block = document.createElement("pre");
    block.textContent = prints;
    parts.push(block);
  }
  $("view").replaceChildren(...parts, ...figures.map(({ name, type, data, shape }) => figure(name, type, data, shape)));
}

function problems(text) {
  $("problems").textContent = text;
  const lines = [...text.matchAll(/^[^\n:]*:(\d+):\d+: error/gm)].map((match) => Number(match[1]));
  editor.mark(lines);
}

// ---- From the text to a result

let timer = 0;

function edited() {
  const now = ++state.edited;
  clearTimeout(timer);
  timer = setTimeout(() => compileText(now), TYPING_MS);
}

async function compileText(now) {
  const program = state.program;
  const text = editor.text;
  try {
    // Until Python is there, programs that nobody has changed come as kernel JSON.
    if (!state.pythonReady && program?.json && text === program.python) return await useJson(program.json, now);
    if (!state.pythonReady) say("waiting for Python, which compiles what you type ...");
    const { json, errors } = await python.call("compile", { text });
    if (now !== state.edited) return;
    if (errors === "") await useJson(json, now);
    else problems(errors);
  } catch (error) {
    problems(error.message);
  }
}

async function useJson(json, now) {
  try {
    const kernels = await engine.call("compile", { json, file: "kernel.py" }, LAUNCH_LIMIT_MS);
    if (now !== state.edited) return;
    state.kernels = kernels;
    state.json = json;
    problems("");
    editor.proofs(kernels.flatMap((kernel) => readProofs(kernel.views.explain)));
    showArguments();
    if (state.tab !== "result") show(state.tab);
    await launch();
  } catch (error) {
    if (now === state.edited) problems(error.message);
  }
}

const mainKernel = () => state.kernels.at(-1);

function triple(id) {
  const text = $(id).value.trim();
  return text === "" ? undefined : text.split(/[\s,x]+/).filter(Boolean).map(Number);
}

async function launch() {
  const kernel = mainKernel();
  if (kernel === undefined) return;
  const now = state.edited;
  try {
    const values = argumentsOf(kernel.parameters, state.texts);
    const config = {};
    if (triple("grid")) config.grid = triple("grid");
    if (triple("block")) config.block = triple("block");
    // A launch with a block alone, or a grid alone, has the default of the other.
    if (config.grid && !config.block) config.block = [kernel.block];
    say("running ...");
    const done = await engine.call("launch", { kernel: kernel.name, values: values.map(({ value }) => value), config }, LAUNCH_LIMIT_MS);
    if (now !== state.edited) return;
    await showLaunch(kernel, values, done);
  } catch (error) {
    if (now !== state.edited) return;
    state.result = { fault: error.message, prints: error.launched?.prints ?? "" };
    say("refused");
    $("view").dataset.hash = "";
    if (error.errors) editor.mark(error.errors.map(({ line }) => line).filter((line) => line > 0));
    if (state.tab === "result") showResult();
  }
  performance.mark("result");  // for the tests, which compare it with the end of loading
  $("view").dataset.settled = String(Number($("view").dataset.settled ?? 0) + 1);
}

async function showLaunch(kernel, values, { launched, values: after, milliseconds }) {
  const written = kernel.parameters.flatMap((parameter, k) => {
    if (parameter.direction === "in") return [];
    return [{ name: parameter.name, type: parameter.type, data: after[k].data ?? after[k], shape: values[k].shape }];
  });
  state.result = { figures: written, prints: launched.prints };
  const blocks = launched.grid.join(" × ");
  const hash = await hashOf(written.map(({ data }) => data));
  $("view").dataset.hash = hash;
  say(`grid ${blocks}, block ${launched.block.join(" × ")}; ${milliseconds.toFixed(1)} ms in the interpreter; ` +
    `SHA-256 ${hash.slice(0, 16)}…${launched.checked ? `; accesses checked: ${launched.condition || launched.reason}` : ""}`);
  if (state.tab === "result") showResult();
}

async function hashOf(arrays) {
  const bytes = new Uint8Array(await new Blob(arrays).arrayBuffer());
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function say(text) {
  $("status").textContent = text;
}

function showArguments() {
  const rows = mainKernel().parameters.flatMap((parameter) => {
    const label = document.createElement("label");
    label.htmlFor = `argument-${parameter.name}`;
    label.textContent = parameter.name;
    const type = document.createElement("span");
    type.className = "type";
    type.textContent = parameter.buffer ? `${parameter.direction} ${parameter.type}[]` : parameter.type;
    const input = document.createElement("input");
    input.id = label.htmlFor;
    input.value = state.texts[parameter.name] ??= parameter.buffer ? "arange(100)" : "1";
    input.oninput = () => {
      state.texts[parameter.name] = input.value;
      void launch();
    };
    return [label, type, input];
  });
  if (!$("arguments").contains(document.activeElement)) $("arguments").replaceChildren(...rows);
}

// ---- Programs and links

function open(program) {
  state.program = program;
  state.texts = { ...program.arguments };
  state.result = null;
  $("grid").value = (program.grid ?? []).join(", ");
  $("block").value = (program.block ?? []).join(", ");
  $("program").value = program.id ?? "";
  const title = document.createElement("h1");
  title.textContent = program.title ?? "From a link";
  const paragraphs = (program.text ?? []).map((html) => {
    const paragraph = document.createElement("p");
    paragraph.innerHTML = html;  // of programs.json, which is part of the site
    return paragraph;
  });
  $("lesson").replaceChildren(title, ...paragraphs);
  editor.text = program.python;
  state.tab = program.view ?? "result";
  showTabs();
  $("view").replaceChildren();
  return compileText(++state.edited);
}

function listPrograms({ lessons, examples }) {
  for (const [label, programs] of [["Lessons", lessons], ["Examples", examples]]) {
    const group = document.createElement("optgroup");
    group.label = label;
    for (const program of programs) group.append(new Option(program.title, program.id));
    $("program").append(group);
    state.programs.push(...programs);
  }
}

async function openFromAddress() {
  const hash = location.hash.slice(1);
  const named = state.programs.find((program) => program.id === hash);
  if (named) return open(named);
  if (hash.startsWith("k=")) {
    try {
      const shared = await decode(hash.slice(2));
      // Texts of a link are shown as text and compiled, never as part of the page.
      return open({ title: "From a link", python: String(shared.python), arguments: shared.arguments, grid: shared.grid, block: shared.block });
    } catch {
      problems("this link has no kernel");
    }
  }
  return open(state.programs[0]);
}

async function share() {
  const shared = { python: editor.text, arguments: state.texts, grid: triple("grid"), block: triple("block") };
  location.hash = `k=${await encode(shared)}`;
  await navigator.clipboard?.writeText(location.href).then(() => say("the link is in the clipboard"), () => say("the link is in the address bar"));
}

async function start() {
  showTabs();
  void engine.call("ready");  // it is loaded while the programs are
  const response = await fetch(at("programs.json"));
  listPrograms(await response.json());
  const opened = openFromAddress();
  $("program").onchange = () => {
    history.replaceState(null, "", `#${$("program").value}`);
    void open(state.programs.find((program) => program.id === $("program").value));
  };
  $("run").onclick = () => compileText(++state.edited);
  $("share").onclick = share;
  for (const id of ["grid", "block"]) $(id).oninput = () => void launch();
  $("launch").onsubmit = (event) => event.preventDefault();
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void compileText(++state.edited);
  });
  window.addEventListener("hashchange", () => location.hash.startsWith("#k=") || openFromAddress());
  $("python").textContent = "Python is loading ...";
  // After the first result, which does not need it; a program of a link does.
  if (state.program?.json) await opened;
  try {
    await python.call("ready");
    state.pythonReady = true;
    $("python").textContent = "Python is ready";
  } catch (error) {
    $("python").textContent = `no Python: ${error.message}; lessons and examples run as they are`;
  }
}

void start();
