// Compiled kernels in the page, without the engine: a picture for each frame, and a comparison of the first
// frames with what native code gave when the site was built.
import { isMaddFused, loadCompiled } from "./hologram.js";
import { hashOf, LiveProgram } from "./live-program.js";

const $ = (id) => document.getElementById(id);
const at = (path) => new URL(path, import.meta.url).href;
const FRAMES_OF_SPEED = 30;

let programs = [];
let live = null;
let paused = false;
let times = [];

async function load(program) {
  const bytes = await (await fetch(at(`live/${program.id}.wasm`))).arrayBuffer();
  return new LiveProgram(program, await loadCompiled(bytes));
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

function next() {
  if (live !== null && !paused) {
    const start = performance.now();
    live.frame();
    showSpeed(performance.now() - start);
    draw();
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
  await open(location.hash.slice(1));
  document.body.dataset.ready = "yes";
  requestAnimationFrame(next);
}

void start();
