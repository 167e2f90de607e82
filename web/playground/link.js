// A program in the address of the page: JSON, deflated, in letters that an address may have.

async function through(bytes, stream) {
  const response = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await response.arrayBuffer());
}

/** @returns {Promise<string>} */
export async function encode(value) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate-raw"));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function decode(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
}

/** The program of a link, which is run when its reader asks for it; nothing for a kernel. */
export function programOfLink({ program, files, before }) {
  if (program !== true) return {};
  const texts = Object.fromEntries(Object.entries({ ...files }).map(([name, text]) => [name, String(text)]));
  // Those of its files that are run before it, for the files that they write.
  const first = Array.isArray(before) ? before.filter((name) => Object.hasOwn(texts, name)) : [];
  return { program, files: texts, before: first, waits: true };
}
