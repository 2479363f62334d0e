'use strict';
// Runs the inspector's library: opens captures and answers questions, one after the other. Nothing leaves the browser.

let library = null;

async function start() {
  let said = '';
  const memory = () => new Uint8Array(library.memory.buffer);
  const host = {
    now: () => performance.now(),
    failed: (at, length) => { said = new TextDecoder().decode(memory().slice(at, at + length)); },
  };
  const { instance } = await WebAssembly.instantiateStreaming(fetch('picaflor.wasm'), { host }).catch(async () => {
    // A server that does not know the type of the file.
    const file = await fetch('picaflor.wasm');
    return WebAssembly.instantiate(await file.arrayBuffer(), { host });
  });
  library = instance.exports;
  const give = parts => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    let at = library.buffer(length) >>> 0;
    for (const part of parts) { memory().set(part, at); at += part.length; }
  };
  const taken = () => {
    const at = library.answer() >>> 0;
    return library.memory.buffer.slice(at, at + (library.answer_length() >>> 0));
  };
  const encode = text => new TextEncoder().encode(text);
  return ({ open, path }) => {
    said = '';
    try {
      let kind;
      if (open) {
        const name = encode(open.name);
        give([name, new Uint8Array(open.bytes || 0)]);
        kind = library.open(open.place, name.length);
      } else {
        give([encode(path)]);
        kind = library.ask();
      }
      const bytes = taken();
      if (kind === 2) return { error: JSON.parse(new TextDecoder().decode(bytes)).error };
      return { bytes };
    } catch (why) {
      // The instance is in no known state: the page starts another one.
      return { error: `the inspector's library stopped: ${said || why.message}`, isDead: true };
    }
  };
}

const ready = start();

onmessage = async event => {
  const { id } = event.data;
  try {
    const answer = (await ready)(event.data);
    postMessage({ id, ...answer }, answer.bytes ? [answer.bytes] : []);
  } catch (why) {
    postMessage({ id, error: `the inspector's library cannot run here: ${why.message}`, isDead: true });
  }
};
