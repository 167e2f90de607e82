// The engine, beside the page: kernel JSON to kernels, their views, launches.
import { load } from "./hologram-engine.js";
import { serve } from "./channel.js";

const FORMS = ["asm", "circuit", "calls", "written", "operations"];

let engine;
let module;
let compiled = { json: "", file: "" };  // what the module is made of

function viewsOf(kernel, forms) {
  const views = {};
  for (const form of forms) {
    try {
      views[form] = kernel.view(form);
    } catch (error) {
      if (error.errors === undefined) throw error;
      views[form] = error.message;
    }
  }
  return views;
}

serve({
  async setUp({ wasm }) {
    engine = await load(wasm);
  },
  ready: () => true,
  compile({ json, file }) {
    if (json !== compiled.json || file !== compiled.file) {
      const next = engine.compileJson(json, file);
      module?.release();
      module = next;
      compiled = { json, file };
    }
    return Object.values(module.kernels).map((kernel) => ({
      name: kernel.name, id: kernel.id, block: kernel.block, parameters: kernel.parameters,
      views: viewsOf(kernel, ["explain"]),
    }));
  },
  /** The other views of each kernel, which are not made until somebody looks at one. */
  views: () => Object.values(module.kernels).map((kernel) => viewsOf(kernel, FORMS)),
  /** A launch of another form of the kernel, which prints: what it printed, and its error, if it has one. */
  trace({ json, file, kernel, values, config }) {
    const traced = engine.compileJson(json, file);
    try {
      return { prints: traced.kernels[kernel].launch(...values, config).prints, fault: "", values };
    } catch (error) {
      if (error.launched === undefined) throw error;
      return { prints: error.launched.prints, fault: error.message, values };
    } finally {
      traced.release();
    }
  },
  readArray: ({ bytes, name, type }) => engine.readArray(bytes, name, type),
  launch({ kernel, values, config }) {
    const start = performance.now();
    const launched = module.kernels[kernel].launch(...values, config);
    return { launched, values, milliseconds: performance.now() - start };
  },
});
