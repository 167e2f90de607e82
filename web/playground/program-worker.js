// Whole Python programs, beside the page: Python, the package and, for programs that import it, NumPy. All of it lies
// beside the page.
import { serve } from "./channel.js";
import { programs } from "./program.js";

let runner;

const bytesOf = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

serve({
  async setUp({ pyodide, library, wasm, archive }) {
    const { loadPyodide } = await import(`${pyodide}pyodide.mjs`);
    const [python, module, zip] = await Promise.all([
      loadPyodide({ indexURL: pyodide, stdLibURL: library }), bytesOf(wasm), bytesOf(archive)]);
    runner = await programs(python, module, zip);
  },
  async load({ numpy }) {
    if (numpy) await runner.loadNumpy();
  },
  run: (program) => runner.run(program),
});
