// Python programs in a page: the package hologram in Pyodide, over hologram-library.wasm. For a worker, and for the
// tests in Node.
import { load } from "./hologram-engine.js";
import { Library } from "./library.js";

const PREPARE = `
import os, sys

sys.path[:0] = ["/program", "/package"]
sys.dont_write_bytecode = True
os.makedirs("/program", exist_ok=True)
os.chdir("/program")
# The library of the page has a front end without the package.
for name in [name for name in sys.modules if name.split(".")[0] == "hologram"]:
    del sys.modules[name]
`;
const RUN = `
import contextlib, io, os, shutil, sys, traceback

def empty_folder():
    os.chdir("/program")  # a program may have gone elsewhere
    for name in os.listdir():
        shutil.rmtree(name) if os.path.isdir(name) and not os.path.islink(name) else os.remove(name)

def forget_modules():
    for name in [n for n, m in sys.modules.items() if (getattr(m, "__file__", None) or "").startswith("/program/")]:
        del sys.modules[name]

def run_program(text, name):
    """What a program prints, its error, and the module that it lacks."""
    out = io.StringIO()
    failed = lacks = ""
    forget_modules()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
            exec(compile(text, name, "exec"), {"__name__": "__main__", "__file__": name})
    except SystemExit:
        pass
    except BaseException as error:
        lacks = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
        if isinstance(error, SyntaxError) and error.filename == name:
            lines = [error.lineno]
        place = f"{name}:{lines[-1]}:1: error: " if lines else ""
        failed = place + "".join(traceback.format_exception_only(error)).rstrip()
    return [out.getvalue(), failed, lacks]
`;
const MAIN = "program.py";

/**
 * @param {any} python Pyodide @param {BufferSource | WebAssembly.Module} wasm hologram-library.wasm
 * @param {Uint8Array} archive a zip file of the package
 */
export async function programs(python, wasm, archive) {
  const library = new Library(await load(wasm), () => python._module.HEAPU8.buffer);
  python.registerJsModule("hologram_page", { call: (name, request) => library.call(name, request) });
  python.unpackArchive(archive, "zip", { extractDir: "/package" });
  python.runPython(PREPARE);
  python.runPython(RUN);
  const [runProgram, emptyFolder] = ["run_program", "empty_folder"].map((name) => python.globals.get(name));

  const hasNumpy = Object.hasOwn(python.lockfile.packages, "numpy");  // a site may be built without it
  const loadNumpy = async () => { if (hasNumpy) await python.loadPackage("numpy", { messageCallback() {} }); };
  const runFile = async (text, name) => {
    const answer = runProgram(text, name);
    const [printed, failed, lacks] = answer.toJs();
    answer.destroy();
    if (lacks !== "numpy") return { printed, failed };
    if (!hasNumpy) return { printed, failed: `${failed}; this site was built without NumPy` };
    await loadNumpy();  // a part of the package imports it
    return runFile(text, name);
  };

  return {
    loadNumpy,
    /** Runs a program in an empty folder, behind the files and the programs before it. */
    async run({ text, files, before }) {
      emptyFolder();
      for (const [name, content] of Object.entries(files)) python.FS.writeFile(`/program/${name}`, content);
      for (const name of before) {
        const { failed } = await runFile(files[name], name);
        if (failed !== "") return { printed: "", failed, written: [] };
      }
      const start = performance.now();
      const { printed, failed } = await runFile(text, MAIN);
      const milliseconds = performance.now() - start;
      const known = new Set([...Object.keys(files), MAIN, ".", ".."]);
      const isFile = (name) => python.FS.isFile(python.FS.stat(`/program/${name}`).mode);  // not a folder
      const names = python.FS.readdir("/program").filter((name) => !known.has(name) && isFile(name));
      const written = names.map((name) => ({ name, bytes: python.FS.readFile(`/program/${name}`) }));
      return { printed, failed, written, milliseconds };
    },
  };
}
