// Runs the kernels that come in through the standard input (tests/cross/protocol.h) in WebAssembly, and writes
// what they gave to the standard output, until the input ends.
//
// A buffer, another one each time, ends where the memory does: a kernel that reaches beyond it traps, which
// ends this process. Bytes of a known pattern lie before and behind all others: a kernel that writes there is
// reported.
import { readSync, writeSync } from "node:fs";

const BYTES_OF_REQUEST = 72;
const BYTES_OF_REPLY = 112;
const STATE_OF_REPLY = 64;
const BYTES_OF_STATE = 48;
const KIND_LOAD = 0;
const KIND_STREAMING = 2;
const PAGE = 65536;
const STACK = 1 << 20;
const FENCE = 256;
const PATTERN = 0xa5;
const MOST_LANES = 1024;
const DONE = 0;
const UNIT_LANE = 0;

function readAll(size, mayEnd = false) {
  const bytes = Buffer.alloc(size);
  for (let have = 0; have < size;) {
    const some = readSync(0, bytes, have, size - have, null);
    if (some === 0 && have === 0 && mayEnd) process.exit(0);
    if (some === 0) process.exit(2);
    have += some;
  }
  return bytes;
}

function writeAll(bytes) {
  for (let done = 0; done < bytes.length;) done += writeSync(1, bytes, done, bytes.length - done);
}

const roundUp = (value, step) => Math.ceil(value / step) * step;

let launches = 0;

class Kernel {
  constructor(bytes, info) {
    this.unit = Number(info & 0xffn);
    this.scratch = Number(info >> 8n);
    this.module = new WebAssembly.Module(bytes);
    this.end = 0;
  }

  // A memory of this size; it is kept for the launches that fit.
  enter(size) {
    const pages = Math.ceil(size / PAGE);
    if (this.end >= pages * PAGE) return;
    this.end = pages * PAGE;
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.stack = new WebAssembly.Global({ value: "i32", mutable: true }, STACK);
    const base = new WebAssembly.Global({ value: "i32" }, STACK);
    const { exports } = new WebAssembly.Instance(
      this.module, { hologram: { memory: this.memory, base, stack: this.stack } });
    for (const [name, entry] of Object.entries(exports)) {
      if (name.endsWith(".entry")) this.entry = entry;
      if (name.endsWith(".body")) this.body = entry;
    }
  }

  run(shape, places) {
    const { refs, scalars, shapeAt, state } = places;
    const done = this.entry(refs, scalars, shapeAt, state);
    if (done === DONE || this.unit === UNIT_LANE) return done;
    // The entry also refuses shapes that its form of the lane loop does not cover.
    const lanes = [0, 1, 2].map((d) => shape[d] * shape[3 + d]);
    const units = this.unit === 1 ? lanes[1] * lanes[2] : shape[0] * shape[1] * shape[2];
    this.body(refs, scalars, shapeAt, state, 0n, BigInt(units));
    return DONE;
  }
}

let kernel = null;

// Places of buffers: one after the other with fences around them, but that of this turn at the end.
function placeBuffers(sizes, first, end) {
  const last = sizes.length === 0 ? -1 : launches++ % sizes.length;
  let at = first;
  return sizes.map((size, k) => {
    if (k === last) return end - size;
    const place = at + FENCE;
    at = roundUp(place + size + FENCE, 64);
    return place;
  });
}

function runKernel(request) {
  const view = new DataView(request.buffer, request.byteOffset, request.length);
  const [numBuffers, numScalars] = [view.getUint32(4, true), view.getUint32(8, true)];
  const scalars = readAll(8 * numScalars);
  const sizesRead = readAll(8 * numBuffers);
  const sizes = Array.from({ length: numBuffers }, (_, k) => Number(sizesRead.readBigUInt64LE(8 * k)));
  const contents = sizes.map((size) => readAll(size));
  const refs = roundUp(STACK + PAGE, 64);  // behind the data of the kernel
  const scalarsAt = refs + 16 * numBuffers;
  const shapeAt = scalarsAt + 8 * numScalars;
  const state = roundUp(shapeAt + 24, 64);
  const scratch = state + 64;
  const first = roundUp(scratch + kernel.scratch * MOST_LANES, 64);
  const needed = sizes.reduce((sum, size) => sum + roundUp(size + 3 * FENCE, 64), first + FENCE);
  kernel.enter(needed);
  const places = placeBuffers(sizes, first, kernel.end);
  const bytes = new Uint8Array(kernel.memory.buffer);
  const memory = new DataView(kernel.memory.buffer);
  bytes.fill(PATTERN, first);
  places.forEach((place, k) => {
    bytes.set(contents[k], place);
    memory.setUint32(refs + 16 * k, place, true);
    memory.setUint32(refs + 16 * k + 4, 0, true);
    memory.setBigUint64(refs + 16 * k + 8, BigInt(sizes[k]), true);
  });
  bytes.set(scalars, scalarsAt);
  bytes.set(request.subarray(48, 72), shapeAt);
  bytes.fill(0, state, state + BYTES_OF_STATE);
  memory.setBigUint64(state, view.getBigUint64(32, true), true);
  memory.setBigInt64(state + 8, -1n, true);
  memory.setUint32(state + 32, view.getUint32(40, true), true);
  memory.setUint32(state + 36, 1, true);
  memory.setUint32(state + 40, scratch, true);
  const shape = [0, 1, 2, 3, 4, 5].map((d) => view.getUint32(48 + 4 * d, true));
  const done = kernel.run(shape, { refs, scalars: scalarsAt, shapeAt, state });
  const reply = Buffer.alloc(BYTES_OF_REPLY);
  reply.writeInt32LE(done, 4);
  reply.set(bytes.subarray(state, state + BYTES_OF_STATE), STATE_OF_REPLY);
  places.forEach((place, k) => {
    const fences = [bytes.subarray(place - FENCE, place), bytes.subarray(place + sizes[k], place + sizes[k] + FENCE)];
    if (fences.some((fence) => fence.some((byte) => byte !== PATTERN))) reply.writeUint32LE(k + 1, 56);
  });
  writeAll(reply);
  places.forEach((place, k) => writeAll(bytes.subarray(place, place + sizes[k])));
}

for (;;) {
  const request = readAll(BYTES_OF_REQUEST, true);
  const kind = request.readUint32LE(0);
  if (kind === KIND_LOAD) {
    kernel = new Kernel(readAll(Number(request.readBigUInt64LE(16))), request.readBigUInt64LE(24));
    const reply = Buffer.alloc(BYTES_OF_REPLY);
    reply.writeUint32LE(kernel.unit, 48);
    writeAll(reply);
  } else {
    if (kind === KIND_STREAMING) process.exit(3);  // there is no such form
    runKernel(request);
  }
}
