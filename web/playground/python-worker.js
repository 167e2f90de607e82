// The front end of hologram, in Python: kernel files to kernel JSON. Pyodide is Python in WebAssembly; it
// lies beside the page, and nothing is loaded from anywhere else.
import { serve } from "./channel.js";

const COMPILE = `
import os, sys
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
  async setUp({ pyodide, frontend }) {
    const [{ loadPyodide }, files] = await Promise.all([
      import(`${pyodide}pyodide.mjs`), fetch(frontend).then((response) => response.json())]);
    const python = await loadPyodide({ indexURL: pyodide });
    for (const [path, text] of Object.entries(files)) {
      const full = `/front/${path}`;
      python.FS.mkdirTree(full.slice(0, full.lastIndexOf("/")));
      python.FS.writeFile(full, text);
    }
    python.FS.mkdirTree("/work");
    python.runPython('import os, sys; sys.path.insert(0, "/front"); os.chdir("/work")');
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
