// The engine's worker and the programs, which begin.js has asked for.
import { Channel } from "./channel.js";

const { worker, ready, setUp, programs, file } = globalThis.begun;

export { programs, file as FILE };
export const engine = new Channel(new URL("engine-worker.js", import.meta.url).href, setUp, { worker, ready });
