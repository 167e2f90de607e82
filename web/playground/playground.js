// The playground: a kernel is compiled as it is typed, its proofs and errors are shown at their lines, and it is
// launched on arrays made by small expressions. docs/site.md describes its parts.
import { Channel } from "./channel.js";
import { engine, FILE, programs } from "./engine.js";
import { takeFiles } from "./dropping.js";
import { Editor, readProofs } from "./editor.js";
import { argumentsOf, extentsOf, usualText } from "./expressions.js";
import { circuitsOf, figure, hashOf, textBlock } from "./results.js";
import { decode, encode, programOfLink } from "./link.js";
import { Stepper } from "./stepper.js";

const TYPING_MS = 250;
const LAUNCH_LIMIT_MS = 20000;
const TABS = {
  result: "Result", steps: "Steps", explain: "Proofs", asm: "Instructions", calls: "Circuit", circuit: "Canonical circuit",
  json: "Kernel JSON",
};
const $ = (id) => document.getElementById(id);
const at = (path) => new URL(path, import.meta.url).href;

const python = new Channel(at("python-worker.js"), { pyodide: at("pyodide/"), library: at("pyodide/library.zip") });

const state = {
  /** @type {any[]} lessons and examples, with their Python and kernel JSON */ programs: [],
  /** @type {any[] | null} those of the documents */ examples: null,
  program: null, kernels: [], texts: {}, files: new Map(), json: "", tab: "result", pythonReady: false, edited: 0,
  result: null, /** @type {{grid: number[], block: number[]} | null} */ shape: null,
};
const editor = new Editor(() => edited());
const stepper = new Stepper(editor, trace);
const chooser = takeFiles({
  files: state.files,
  parameters: () => mainKernel()?.parameters ?? [],
  readArray: (bytes, name, type) => engine.call("readArray", { bytes, name, type }, LAUNCH_LIMIT_MS),
  use(parameter, text, about) {
    state.texts[parameter.name] = text;
    $(`argument-${parameter.name}`).value = text;
    problems("");
    void launch(about);
  },
  fail: problems,
}).chooser;

// ---- Views

function showTabs() {
  const tabs = Object.entries(TABS).filter(([id]) => id === "result" || !state.program?.program);
  $("tabs").replaceChildren(...tabs.map(([id, title]) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${id}`;
    tab.textContent = title;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-selected", String(state.tab === id));
    tab.setAttribute("aria-controls", "view");
    tab.tabIndex = state.tab === id ? 0 : -1;
    tab.onclick = () => select(id);
    tab.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const ids = tabs.map(([name]) => name);
      select(ids[(ids.indexOf(id) + step + ids.length) % ids.length]);
      $(`tab-${state.tab}`).focus();
    };
    return tab;
  }));
  $("view").setAttribute("aria-labelledby", `tab-${state.tab}`);
}

const select = (tab) => void show(tab).catch(({ message }) => problems(message));

async function show(tab) {
  state.tab = tab;
  showTabs();
  $("view").dataset.tab = "";
  if (tab !== "steps") stepper.hide();
  if (tab === "result") return showResult();
  if (tab === "steps") return showSteps();
  if (tab !== "json") await loadViews();
  if (tab !== state.tab) return;
  const parts = tab === "calls" ? state.kernels.flatMap(circuitsOf)
    : [textBlock(tab === "json" ? indented(state.json) : state.kernels.map(({ views }) => views[tab]).join("\n"))];
  $("view").replaceChildren(...parts);
  $("view").dataset.tab = tab;
}

async function loadViews() {
  const { kernels } = state;
  if (kernels.every(({ views }) => "asm" in views)) return;
  const found = await engine.call("views", {}, LAUNCH_LIMIT_MS);
  kernels.forEach(({ views }, k) => Object.assign(views, found[k]));
}

function showSteps() {
  const { grid, block } = state.shape ?? { grid: [], block: [] };
  $("view").replaceChildren(grid.length === 0 ? "no lane ran, see the result" : stepper.element);
  if (grid.length === 0) return;
  const lanes = grid.map((blocks, k) => blocks * block[k]);
  return stepper.show({ json: state.json, kernel: mainKernel().name, lanes });
}

/** What the kernel of the page prints in this form, in a launch like its last one. */
async function trace(json) {
  const { name, parameters } = mainKernel();
  const values = argumentsOf(parameters, state.texts, state.files).map(({ value }) => value);
  const done = await engine.call("trace", { json, file: FILE, kernel: name, values, config: state.shape }, LAUNCH_LIMIT_MS);
  if (done.fault !== "") return { prints: done.prints, note: done.fault };
  const hash = await hashOf(writtenBy(parameters, done.values));
  const isSame = hash === $("view").dataset.hash;
  return { prints: done.prints, note: isSame ? "" : "this form of the kernel gave another result: its steps are not those of the kernel" };
}

const writtenBy = (parameters, values) =>
  parameters.flatMap(({ direction }, k) => (direction === "in" ? [] : [values[k].data ?? values[k]]));

const indented = (json) => (json === "" ? "" : JSON.stringify(JSON.parse(json), null, 1));

function showResult() {
  const { figures = [], fault = "", prints = "", written = [] } = state.result ?? {};
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
  const pictures = figures.map(({ name, type, data, shape }) => figure(name, type, data, shape));
  $("view").replaceChildren(...parts, ...pictures, ...written);
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
    if (program?.program) return await runProgram(program, text, now);
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

async function runProgram(program, text, now) {
  const { runWhole } = await import("./whole.js");
  const { printed, failed, written, milliseconds } = await runWhole(program, text, say);
  if (now !== state.edited) return;
  state.result = { prints: printed || (failed ? "" : "It prints nothing."), written };
  problems(failed);
  await settle(failed ? "" : await hashOf([new TextEncoder().encode(printed)]),
    failed ? "stopped by an error" : `${milliseconds.toFixed(0)} ms in Python and the interpreter`);
}

async function settle(hash, about) {
  $("view").dataset.hash = hash;
  say(about);
  showResult();
  performance.mark("result");
  $("view").dataset.settled = String(Number($("view").dataset.settled ?? 0) + 1);
}

async function useJson(json, now) {
  try {
    const kernels = await engine.call("compile", { json, file: FILE }, LAUNCH_LIMIT_MS);
    if (now !== state.edited) return;
    state.kernels = kernels;
    state.json = json;
    problems("");
    editor.proofs(kernels.flatMap((kernel) => readProofs(kernel.views.explain)));
    showArguments();
    if (state.tab !== "result") await show(state.tab);
    await launch();
  } catch (error) {
    if (now === state.edited) problems(error.message);
  }
}

const mainKernel = () => state.kernels.find(({ name }) => name === state.program?.entry) ?? state.kernels.at(-1);

/** `about` is said beside the result. */
async function launch(about = "") {
  const kernel = mainKernel();
  if (kernel === undefined) return;
  const now = state.edited;
  try {
    const values = argumentsOf(kernel.parameters, state.texts, state.files);
    const config = {};
    for (const id of ["grid", "block"]) {
      const extents = extentsOf($(id).value, values.names);
      if (extents) config[id] = extents;
    }
    // A launch with a block alone, or a grid alone, has the default of the other.
    if (config.grid && !config.block) config.block = [kernel.block];
    say("running ...");
    const done = await engine.call("launch", { kernel: kernel.name, values: values.map(({ value }) => value), config }, LAUNCH_LIMIT_MS);
    if (now !== state.edited) return;
    await showLaunch(kernel, values, done);
    if (about !== "") say(`${about}; ${$("status").textContent}`);
  } catch (error) {
    if (now !== state.edited) return;
    state.result = { fault: error.message, prints: error.launched?.prints ?? "" };
    state.shape = shapeOf(error.launched);
    say("refused");
    $("view").dataset.hash = "";
    if (error.errors) editor.mark(error.errors.map(({ line }) => line).filter((line) => line > 0));
    if (state.tab === "result") showResult();
  }
  if (state.tab === "steps") await showSteps();
  performance.mark("result");  // for the tests, which compare it with the end of loading
  $("view").dataset.settled = String(Number($("view").dataset.settled ?? 0) + 1);
}

// Nothing for a launch that did not begin.
const shapeOf = (launched) => (launched?.grid[0] > 0 ? { grid: launched.grid, block: launched.block } : null);

async function showLaunch(kernel, values, { launched, values: after, milliseconds }) {
  const written = kernel.parameters.flatMap((parameter, k) => {
    if (parameter.direction === "in") return [];
    return [{ name: parameter.name, type: parameter.type, data: after[k].data ?? after[k], shape: values[k].shape }];
  });
  state.result = { figures: written, prints: launched.prints };
  state.shape = shapeOf(launched);
  const blocks = launched.grid.join(" × ");
  const hash = await hashOf(written.map(({ data }) => data));
  $("view").dataset.hash = hash;
  say(`grid ${blocks}, block ${launched.block.join(" × ")}; ${milliseconds.toFixed(1)} ms in the interpreter; ` +
    `SHA-256 ${hash.slice(0, 16)}…${launched.checked ? `; accesses checked: ${launched.condition || launched.reason}` : ""}`);
  if (state.tab === "result") showResult();
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
    input.value = state.texts[parameter.name] ??= usualText(parameter, mainKernel().parameters);
    input.dataset.parameter = parameter.name;
    input.oninput = () => {
      state.texts[parameter.name] = input.value;
      void launch();
    };
    const file = parameter.buffer ? chooser(parameter.name) : document.createElement("span");
    return [label, type, input, file];
  });
  if (!$("arguments").contains(document.activeElement)) $("arguments").replaceChildren(...rows);
}

// ---- Programs and links

function open(program) {
  state.program = program;
  state.texts = { ...program.arguments };
  state.result = state.shape = null;
  stepper.hide();
  stepper.reset();
  $("grid").value = String(program.grid ?? "");
  $("block").value = String(program.block ?? "");
  $("program").value = program.id ?? "";
  $("launch").hidden = program.program === true;
  if (program.program) $("arguments").replaceChildren();
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
  editor.proofs([]);
  if (program.waits) return say("a program of a link: Run runs it");
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
  if (hash.startsWith("doc-")) {
    const examples = state.examples ??= await (await fetch(at("examples.json"))).json();
    const example = examples.find((program) => program.id === hash);
    if (example) return open(example);
  }
  if (hash.startsWith("k=")) {
    try {
      const shared = await decode(hash.slice(2));
      // Texts of a link are shown as text and compiled, never as part of the page.
      const about = { title: "From a link", python: String(shared.python), grid: shared.grid, block: shared.block };
      return open({ ...about, ...programOfLink(shared), arguments: { ...shared.arguments } });
    } catch {
      problems("this link has no kernel");
    }
  }
  return open(state.programs[0]);
}

async function share() {
  const { program, files, before } = state.program ?? {};
  const shape = { grid: $("grid").value, block: $("block").value };
  const shared = { python: editor.text, arguments: state.texts, ...shape, program, files, before };
  location.hash = `k=${await encode(shared)}`;
  await navigator.clipboard?.writeText(location.href).then(() => say("the link is in the clipboard"), () => say("the link is in the address bar"));
}

async function start() {
  showTabs();
  listPrograms(await programs);
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
