// Python's library and hologram's front end as one zip file, for Pyodide. The modules that the page imports at its start
// are compiled, by the same Pyodide; those that they may import later stay as they are, which is smaller; what no import
// leads to is left out.
// usage: python_code.mjs PYODIDE_FOLDER FRONTEND.json OUT.zip
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, frontend, out] = process.argv.slice(2).map((path) => resolve(path));
const COMPILE = `
import sys
at_start = {getattr(module, "__file__", None) or "" for module in sys.modules.values()}

import ast, importlib._bootstrap_external as bootstrap, importlib.util, json, zipfile

with zipfile.ZipFile("/library.zip") as library:
    sources = {info.filename: library.read(info) for info in library.infolist() if not info.is_dir()}
with open("/frontend.json", encoding="utf-8") as file:
    front = {name: text.encode() for name, text in json.load(file).items()}
sources |= front

def files_of(module):
    parts = module.split(".")
    for k in range(1, len(parts) + 1):
        path = "/".join(parts[:k])
        yield from (name for name in (path + ".py", path + "/__init__.py") if name in sources)

def imports_of(name):
    for node in ast.walk(ast.parse(sources[name])):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from files_of(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = name.rsplit("/", node.level)[0].replace("/", ".") if node.level else ""
            base = ".".join(filter(None, (base, node.module)))
            for alias in node.names:
                yield from files_of(base + "." + alias.name)

def compiled(name):
    code = compile(sources[name], name, "exec", dont_inherit=True)
    return bytes(bootstrap._code_to_hash_pyc(code, importlib.util.source_hash(sources[name]), checked=False))

zip_path = next(path for path in sys.path if path.endswith(".zip"))
used = {path.removeprefix(zip_path + "/") for path in at_start} | front.keys()
used = {name for name in used if name in sources and name.endswith(".py")}
# Codecs are imported by their names.
kept = {name for name in sources if not name.endswith(".py") or name.startswith("encodings/")} | used
waiting = [name for name in kept if name.endswith(".py")]
while waiting:
    more = set(imports_of(waiting.pop())) - kept
    kept |= more
    waiting += more
with zipfile.ZipFile("/out.zip", "w") as target:
    for name in sorted(kept):
        info = zipfile.ZipInfo(name + "c" if name in used else name, (1980, 1, 1, 0, 0, 0))
        content = compiled(name) if name in used else sources[name]
        target.writestr(info, content, zipfile.ZIP_DEFLATED, 9)
f"{len(kept)} of {len(sources)} files, {len(used)} compiled"
`;

const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: folder });
python.FS.writeFile("/library.zip", readFileSync(`${folder}/python_stdlib.zip`));
python.FS.writeFile("/frontend.json", readFileSync(frontend));
const about = python.runPython(COMPILE);
writeFileSync(out, python.FS.readFile("/out.zip"));
console.log(about);
