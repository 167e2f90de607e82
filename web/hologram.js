// The engine of hologram in JavaScript: kernels from kernel JSON or .holo files, verified and launched on
// typed arrays by the interpreter, with the bits of every other engine. An ES module without
// dependencies, for browsers and Node. docs/site.md is its manual, web/tests its tests.
//
//   import { load } from "./hologram.js";
//   const engine = await load(await (await fetch("hologram.wasm")).arrayBuffer());
//   const { kernels } = engine.compileJson(text);
//   kernels.blur.launch(src, dst, 500);
//
// Kernels that were compiled to WebAssembly (docs/webassembly.md) need no engine, and use it where they
// have one:
//
//   const { kernels } = await loadCompiled(await (await fetch("blur.wasm")).arrayBuffer(), { engine });

export { ErrorCode, HologramError } from "./hologram-common.js";
export { Engine, Kernel, load, Module } from "./hologram-engine.js";
export { CompiledKernel, CompiledModule, isMaddFused, loadCompiled } from "./hologram-compiled.js";
export { Heap, HeapArray } from "./hologram-heap.js";
