// Arrays from files that the user drops: .npy and .csv by the engine, .png by the browser. A file is untrusted: its sizes
// are compared before memory is taken for them, and whatever is wrong is an Error with a text.
import { arrayOfBytes, MOST_ELEMENTS, typedGrid } from "./expressions.js";

const MOST_BYTES = 1 << 27;
const MOST_SIDE = 65536;
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const [GRAY, RGB] = [0, 2];
const KEPT = ["IHDR", "IDAT", "IEND"];

class FileError extends Error {}

/** @param {number[]} extents */
const product = (extents) => extents.reduce((all, extent) => all * extent, 1);
const wrongPng = (text) => new FileError(`not a usable .png file: ${text}`);

/** The chunks that hold the pixels, and what the first says. Others, as of colours, would change the values.
 * @param {Uint8Array<ArrayBuffer>} file */
export function readPng(file) {
  if (SIGNATURE.some((byte, k) => file[k] !== byte)) throw wrongPng("the signature is missing");
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const parts = [file.subarray(0, SIGNATURE.length)];
  let info = null;
  for (let at = SIGNATURE.length; at < file.length;) {
    if (at + 12 > file.length) throw wrongPng("the file ends too early");
    const size = view.getUint32(at) + 12;
    if (size > file.length - at) throw wrongPng("the file ends too early");
    const kind = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (info === null) info = readHeader(kind, size, view, at + 8);
    if (KEPT.includes(kind)) parts.push(file.subarray(at, at + size));
    at += size;
    if (kind === "IEND") return { ...info, parts };
  }
  throw wrongPng("the file ends too early");
}

function readHeader(kind, size, view, at) {
  if (kind !== "IHDR" || size !== 13 + 12) throw wrongPng("the header is missing");
  const [width, height] = [view.getUint32(at), view.getUint32(at + 4)];
  const [depth, colour] = [view.getUint8(at + 8), view.getUint8(at + 9)];
  if (width === 0 || height === 0 || width > MOST_SIDE || height > MOST_SIDE) {
    throw wrongPng(`it has ${width} x ${height} pixels; expected 1 to ${MOST_SIDE}`);
  }
  if (depth !== 8 || (colour !== GRAY && colour !== RGB)) {
    throw wrongPng("expected 8-bit gray or RGB without alpha or palette");
  }
  return { width, height, channels: colour === GRAY ? 1 : 3 };
}

async function pixelsOf({ width, height, channels, parts }) {
  let picture;
  try {
    const blob = new Blob(parts, { type: "image/png" });
    picture = await createImageBitmap(blob, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
  } catch {
    throw wrongPng("the browser cannot decode its pixels");
  }
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(picture, 0, 0);
  picture.close();
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = new Uint8Array(width * height * channels);
  for (let k = 0; k < width * height; ++k) {
    for (let c = 0; c < channels; ++c) pixels[channels * k + c] = data[4 * k + c];
  }
  return pixels;
}

function checkSize(elements) {
  if (elements > MOST_ELEMENTS) throw new FileError(`at most ${MOST_ELEMENTS} elements, found ${elements}`);
}

/**
 * @param {File} file @param {string} type of the numbers of a .csv
 * @param {(bytes: Uint8Array, name: string, type: string) => Promise<{type: string, shape: number[], bytes: ArrayBuffer}>} readArray
 * @returns {Promise<import("./expressions.js").Grid>}
 */
export async function readFile(file, type, readArray) {
  const suffix = /\.(npy|csv|png)$/.exec(file.name)?.[1];
  if (suffix === undefined) throw new FileError(`${file.name}: expected a .npy, .csv or .png file`);
  if (file.name.includes('"')) throw new FileError(`${file.name}: its name has a quotation mark`);
  if (file.size > MOST_BYTES) throw new FileError(`${file.name}: at most ${MOST_BYTES} bytes, found ${file.size}`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    if (suffix !== "png") {
      const array = await readArray(bytes, file.name, type);
      checkSize(product(array.shape));
      return typedGrid(arrayOfBytes(array.bytes, array.type), array.shape, array.type);
    }
    const picture = readPng(bytes);
    const shape = [picture.height, picture.width, ...(picture.channels === 1 ? [] : [picture.channels])];
    checkSize(product(shape));
    return typedGrid(await pixelsOf(picture), shape, "u8");
  } catch (error) {
    throw error instanceof FileError ? new FileError(`${file.name}: ${error.message}`) : error;
  }
}
