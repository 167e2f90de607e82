// The first script of the page, and no module, so that it runs while the page is still read: the engine's worker starts,
// its module is compiled, and then the program of the page. engine.js has the rest.
{
  const at = (path) => new URL(path, document.currentScript.src).href;
  const worker = new Worker(at("engine-worker.js"), { type: "module" });
  const post = (name, values) => worker.postMessage({ id: -1, name, values });  // nobody waits for an answer

  const compiled = async (response) => {
    const isWasm = response.headers.get("Content-Type") === "application/wasm";
    return { wasm: await (isWasm ? WebAssembly.compileStreaming(response) : response.arrayBuffer()) };
  };
  const setUp = fetch(at("hologram.wasm")).then(compiled);
  const programs = fetch(at("programs.json")).then((response) => response.json());
  const file = "kernel.py";
  const ready = setUp.then((values) => post("setUp", values));
  globalThis.begun = { worker, ready, setUp, programs, file };

  // The worker has its answer when the page asks for the same.
  Promise.all([programs, ready]).then(([{ lessons, examples }]) => {
    const all = [...lessons, ...examples];
    const { json } = all.find(({ id }) => `#${id}` === location.hash) ?? all[0];
    post("compile", { json, file });
  }, () => {});  // calls of the page have the error too
}
