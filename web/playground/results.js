// Arrays as numbers, a plot or an image.
import { fromHalf, isHalf } from "./halves.js";

const MOST_NUMBERS = 2000;

/** @param {number[]} shape */
export function usualForm(shape) {
  if (shape.length === 2 && shape[0] > 1 && shape[1] > 1) return "image";
  return shape[0] >= 12 ? "plot" : "numbers";
}

function rangeOf(data) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of data) {
    const number = Number(value);
    if (!Number.isFinite(number)) continue;
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  return low <= high ? [low, high] : [0, 1];
}

const shown = (value) => (typeof value === "bigint" ? String(value) : String(Number(Number(value).toPrecision(7))));

function numbers(data) {
  const block = document.createElement("pre");
  const lines = [];
  for (let k = 0; k < Math.min(data.length, MOST_NUMBERS); k += 8) {
    lines.push(`${String(k).padStart(6)}  ${[...data.slice(k, k + 8)].map((value) => shown(value).padStart(12)).join("")}`);
  }
  if (data.length > MOST_NUMBERS) lines.push(`... and ${data.length - MOST_NUMBERS} more`);
  block.textContent = lines.join("\n");
  return block;
}

// Blue to yellow by way of green: bright is high for every eye.
function colour(part) {
  const stops = [[32, 20, 72], [49, 84, 140], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const at = Math.min(Math.max(part, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(at), stops.length - 2);
  return stops[k].map((channel, c) => channel + (stops[k + 1][c] - channel) * (at - k));
}

function image(data, shape) {
  const [height, width] = shape.length === 2 ? shape : [1, data.length];
  const canvas = document.createElement("canvas");
  canvas.className = "image";
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(width, height);
  const [low, high] = rangeOf(data);
  for (let k = 0; k < data.length; ++k) {
    const [red, green, blue] = colour((Number(data[k]) - low) / (high - low || 1));
    pixels.data.set([red, green, blue, 255], 4 * k);
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

// The points of a curve, at most `most`: of more elements the lowest and the highest of each part, since a path of
// millions of points keeps a browser busy for minutes.
function* outline(data, most) {
  const step = Math.max(1, Math.ceil(data.length / (most / 2)));
  for (let from = 0; from < data.length; from += step) {
    let low = -1;
    let high = -1;
    for (let k = from; k < Math.min(from + step, data.length); ++k) {
      const value = Number(data[k]);
      if (!Number.isFinite(value)) continue;
      if (low < 0 || value < Number(data[low])) low = k;
      if (high < 0 || value > Number(data[high])) high = k;
    }
    if (low < 0) continue;
    yield Math.min(low, high);
    if (low !== high) yield Math.max(low, high);
  }
}

function plot(data) {
  const canvas = document.createElement("canvas");
  const [width, height, margin] = [960, 420, 56];
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  const style = getComputedStyle(document.body);
  const [low, high] = rangeOf(data);
  const span = high - low || 1;
  const x = (k) => margin + ((width - margin - 16) * k) / Math.max(1, data.length - 1);
  const y = (value) => height - 32 - ((height - 56) * (value - low)) / span;
  context.font = "18px 'Noto Sans Mono', ui-monospace, monospace";
  context.fillStyle = style.getPropertyValue("--soft");
  context.strokeStyle = style.getPropertyValue("--line");
  for (const value of [low, low + span / 2, high]) {
    context.beginPath();
    context.moveTo(margin, y(value));
    context.lineTo(width - 16, y(value));
    context.stroke();
    // As many digits as the range needs: the middle of -0.4999748 to 0.5 is 0.
    const digits = Math.max(0, 2 - Math.floor(Math.log10(span)));
    const label = Math.abs(value) >= 1e6 ? value.toPrecision(3) : String(Number(value.toFixed(Math.min(digits, 20))));
    context.fillText(label, 4, y(value) + 6, margin - 8);
  }
  context.fillText("0", margin, height - 8);
  context.textAlign = "right";
  context.fillText(String(data.length - 1), width - 16, height - 8);
  context.strokeStyle = context.fillStyle = style.getPropertyValue("--accent");
  context.lineWidth = 3;
  context.beginPath();
  const isBars = data.length <= 32;
  for (const k of outline(data, 8 * width)) {
    const value = Number(data[k]);
    if (isBars) context.fillRect(x(k) - 8, y(value), 16, y(Math.min(low, 0) < low ? low : Math.max(low, 0)) - y(value) || 2);
    else context.lineTo(x(k), y(value));
  }
  context.stroke();
  return canvas;
}

const FORMS = { numbers: (data) => numbers(data), plot: (data) => plot(data), image };

/** A figure of one array, with buttons for its forms. */
export function figure(name, type, bits, shape) {
  const data = isHalf(type) ? Float64Array.from(bits, (half) => fromHalf(half, type)) : bits;
  const element = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const [low, high] = rangeOf(data);
  caption.append(name);
  const about = document.createElement("span");
  about.textContent = `${type}[${shape.join(", ")}]  ${shown(low)} to ${shown(high)}`;
  caption.append(about);
  element.append(caption);
  const show = (form) => {
    for (const button of caption.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.textContent === form));
    element.querySelector(":scope > :not(figcaption)")?.remove();
    const body = FORMS[form](data, shape);
    if (form !== "numbers") body.setAttribute("role", "img");
    body.setAttribute("aria-label", `${name} as ${form}, ${shown(low)} to ${shown(high)}`);
    element.append(body);
  };
  for (const form of Object.keys(FORMS)) {
    if (form === "image" && shape.length !== 2) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = form;
    button.onclick = () => show(form);
    caption.append(button);
  }
  show(usualForm(shape));
  return element;
}

/** The SHA-256 of arrays, one after the other, in hexadecimal digits. */
function joined(arrays) {
  const all = new Uint8Array(arrays.reduce((size, { byteLength }) => size + byteLength, 0));
  let end = 0;
  for (const { buffer, byteOffset, byteLength } of arrays) {
    all.set(new Uint8Array(buffer, byteOffset, byteLength), end);
    end += byteLength;
  }
  return all;
}

export async function hashOf(arrays) {
  const bytes = joined(arrays);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function textBlock(text) {
  const element = document.createElement("pre");
  element.textContent = text;
  return element;
}

// The circuit as it is written beside the canonical one, each as its calls, below how many operations that saves.
export function circuitsOf({ views }) {
  if (views.calls === views.operations) return [textBlock(views.calls)];  // why there is none
  const sides = [["As written", views.written], ["Canonical", views.calls]].map(([title, text]) => {
    const side = document.createElement("section");
    const heading = document.createElement("h2");
    heading.textContent = title;
    side.append(heading, textBlock(text));
    return side;
  });
  const both = document.createElement("div");
  both.className = "circuits";
  both.append(...sides);
  return [textBlock(views.operations), both];
}
