// The front end of hologram, in Python: kernel files to kernel JSON. Pyodide is Python in WebAssembly; it
// lies beside the page, and nothing is loaded from anywhere else.
import { serve } from "./channel.js";

const COMPILE = `
from hologram.frontend.document import CompileError, compile_file

def compile_text(text):
    with open("kernel.py", "w", encoding="utf-8") as file:
        file.write(text)
    try:
        return [compile_file("kernel.py", None), ""]
    except CompileError as error:
        return ["", str(error)]
`;

let compileText;

serve({
  async setUp({ pyodide, library }) {
    const { loadPyodide } = await import(`${pyodide}pyodide.mjs`);
    // Its library has the front end too (web/python_code.mjs).
    const python = await loadPyodide({ indexURL: pyodide, stdLibURL: library });
    python.runPython(COMPILE);
    compileText = python.globals.get("compile_text");
  },
  ready: () => true,
  compile({ text }) {
    const answer = compileText(text);
    const [json, errors] = answer.toJs();
    answer.destroy();
    return { json, errors };
  },
});
