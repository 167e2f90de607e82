// Compiled kernels in the page, without the engine: a picture for each frame, and a comparison of the first
// frames with what native code gave when the site was built.
import { isMaddFused, loadCompiled } from "./hologram.js";
import { hashOf, LiveProgram } from "./live-program.js";
import { Ink } from "./ink.js";

const $ = (id) => document.getElementById(id);
const at = (path) => new URL(path, import.meta.url).href;
const FRAMES_OF_SPEED = 30;

// Eight by eight values from 0 to 16, as the pictures that were learned from.
const ink = new Ink($("drawing"));

let programs = [];
let live = null;
let paused = false;
let times = [];

async function load(program) {
  const bytes = async (path) => (await fetch(at(path))).arrayBuffer();
  const module = await loadCompiled(await bytes(`live/${program.id}.wasm`));
  return new LiveProgram(program, module, program.data && (await bytes(`live/${program.data}.bin`)));
}

function draw() {
  const { width, height } = live.program;
  const { pixels } = live;
  const bytes = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  $("canvas").getContext("2d").putImageData(new ImageData(bytes, width, height), 0, 0);
}

function showSpeed(milliseconds) {
  times.push(milliseconds);
  if (times.length < FRAMES_OF_SPEED) return;
  times.sort((a, b) => a - b);
  $("speed").textContent = `${times[times.length >> 1].toFixed(2)} ms in the kernels of a frame, on one thread`;
  times = [];
}

function showDigit() {
  const scores = [...live.array("scores")];
  const text = ink.isEmpty ? "" : String(scores.indexOf(Math.max(...scores)));
  if ($("digit").textContent !== text) $("digit").textContent = text;
}

// One of the pictures that were learned from.
function example() {
  const labels = live.array("labels");
  const k = Math.floor(Math.random() * labels.length);
  ink.set(live.array("x").subarray(64 * k, 64 * (k + 1)));
  $("label").textContent = `written as ${labels[k]}`;
  $("label").dataset.label = String(labels[k]);
}

function next() {
  if (live !== null && !paused) {
    const start = performance.now();
    if (live.program.arrays.drawn) live.array("drawn").set(ink.values);
    live.frame();
    showSpeed(performance.now() - start);
    draw();
    if (live.program.arrays.drawn) showDigit();
  }
  requestAnimationFrame(next);
}

async function open(id) {
  const program = programs.find((one) => one.id === id) ?? programs[0];
  $("program").value = program.id;
  $("title").textContent = program.title;
  $("text").textContent = program.text;
  $("source").textContent = program.python;
  $("same").textContent = "";
  $("draw").hidden = !program.arrays.drawn;
  delete document.body.dataset.hash;
  live = null;
  times = [];
  const loaded = await load(program);
  Object.assign($("canvas"), { width: program.width, height: program.height });
  live = loaded;
}

// In memory of its own: the picture goes on.
async function check() {
  const { program } = live;
  const again = await load(program);
  for (let k = 0; k < program.test; ++k) again.frame();
  const hash = await hashOf(again.pixels);
  const words = hash === program.hash ? "the same bits as native code" : `native code gave ${program.hash}`;
  $("same").textContent = `${program.test} frames: SHA-256 ${hash}, ${words}`;
  document.body.dataset.hash = hash;
}

async function start() {
  programs = await (await fetch(at("live-programs.json"))).json();
  $("program").replaceChildren(...programs.map(({ id, title }) => new Option(title, id)));
  $("madd").textContent = isMaddFused() ? "fused multiply-adds of this browser" : "multiply-adds in software";
  $("program").onchange = () => { location.hash = $("program").value; };
  window.addEventListener("hashchange", () => void open(location.hash.slice(1)));
  $("pause").onclick = () => {
    paused = !paused;
    $("pause").setAttribute("aria-pressed", String(paused));
  };
  $("check").onclick = () => void check();
  $("example").onclick = example;
  $("clear").onclick = () => {
    ink.clear();
    $("label").textContent = "";
  };
  await open(location.hash.slice(1));
  document.body.dataset.ready = "yes";
  requestAnimationFrame(next);
}

void start();
