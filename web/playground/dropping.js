// Files for arguments: dropped on the page, or chosen beside an argument.
import { readFile } from "./files.js";

/**
 * @typedef {{name: string, buffer: boolean, type: string, direction: string}} Parameter
 * @param {{parameters: () => Parameter[], readArray: (bytes: Uint8Array, name: string, type: string) => Promise<any>,
 *   use: (parameter: Parameter, text: string, about: string) => void, fail: (message: string) => void,
 *   files: Map<string, import("./expressions.js").Grid>}} page
 */
export function takeFiles(page) {
  /** @param {File} file @param {string} name of the argument; empty: the first array that the kernel reads */
  const take = async (file, name = "") => {
    const arrays = page.parameters().filter(({ buffer }) => buffer);
    const parameter = arrays.find((one) => one.name === name) ?? arrays.find(({ direction }) => direction !== "out") ?? arrays[0];
    if (parameter === undefined) return page.fail(`${file.name}: the kernel has no array`);
    try {
      const array = await readFile(file, parameter.type, page.readArray);
      page.files.set(file.name, array);
      const text = `file("${file.name}")`;
      const fits = array.type === parameter.type;
      page.use(parameter, fits ? text : `${parameter.type}(${text})`, `${file.name}: ${array.type}[${array.shape.join(", ")}]`);
    } catch (error) {
      page.fail(error.message);
    }
  };
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer?.files ?? [];
    if (file === undefined) return;
    event.preventDefault();
    void take(file, /** @type {HTMLElement} */ (event.target).dataset?.parameter);
  });
  return {
    /** A button that opens a file for an argument. @param {string} name */
    chooser(name) {
      const input = document.createElement("input");
      input.type = "file";
      input.accept = ".npy,.csv,.png";
      input.id = `file-${name}`;
      input.setAttribute("aria-label", `A file for ${name}`);
      input.onchange = () => input.files?.[0] && void take(input.files[0], name).then(() => { input.value = ""; });
      const label = document.createElement("label");
      label.className = "file";
      label.title = ".npy, .csv or .png; it stays in this page";
      label.append("file", input);
      return label;
    },
  };
}
