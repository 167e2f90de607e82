// Runs a Python program as the page does, in Node, and prints what it prints.
// usage: run_program.mjs PLAYGROUND FILE.py
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2).map((path) => resolve(path));
const at = (name) => pathToFileURL(`${folder}/${name}`).href;
const { loadPyodide } = await import(at("pyodide/pyodide.mjs"));
const { programs } = await import(at("program.js"));
const python = await loadPyodide({ indexURL: `${folder}/pyodide`, stdLibURL: at("pyodide/library.zip") });
const bytes = (name) => new Uint8Array(readFileSync(`${folder}/${name}`));
const { run } = await programs(python, bytes("hologram-library.wasm"), bytes("package.zip"));
const text = readFileSync(file, "utf8");
const { printed, failed } = await run({ text, files: {}, before: [] });
process.stdout.write(printed);
if (failed !== "") {
  console.error(failed);
  process.exitCode = 1;
}
