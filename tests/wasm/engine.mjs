// The commands of the tests, which run in Node and in a web worker. Arguments and answers are JSON; bytes are
// fetched from the test server.
let base;
let semantic;
let encoder;
let project;
let recorded = [];

const fetched = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const encode = (text) => new TextEncoder().encode(text);

/** Converts `[{path, text | base64 | url, modified}]` to the files that the module expects. */
async function dropped(files) {
  return Promise.all(
    files.map(async ({ path, text, base64, modified }) => ({
      path,
      bytes: base64 === undefined ? encode(text) : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
      modified,
    })),
  );
}

const commands = {
  /** Loads the base module from the addresses of its JavaScript and its WebAssembly. */
  async start({ script, code }) {
    base = await import(script);
    await base.default({ module_or_path: fetch(code) });
    return base.version();
  },
  async startSemantic({ script, code, model, tokenizer, description, weights }) {
    semantic = await import(script);
    await semantic.default({ module_or_path: fetch(code) });
    const files = [await fetched(model), await fetched(tokenizer)];
    const text = new TextDecoder().decode(await fetched(description));
    const begun = performance.now();
    encoder = new semantic.Encoder(...files, text, weights && (await fetched(weights)));
    encoder.embed("query", ["warm up"]);
    return { info: encoder.info(), milliseconds: performance.now() - begun };
  },
  async openDatabase({ url }) {
    project = base.Project.openDatabase(await fetched(url));
  },
  async openFiles({ url, files, name }) {
    const given = await dropped(files ?? JSON.parse(new TextDecoder().decode(await fetched(url))));
    const begun = performance.now();
    project = base.Project.openFiles(given, name);
    return { name: project.name ?? null, milliseconds: performance.now() - begun };
  },
  async changeFiles({ files, removed }) {
    project.changeFiles(await dropped(files), removed);
  },
  /** Calls the module with values that are not files. */
  openStrangeFiles({ given }) {
    project = base.Project.openFiles(given.map((file) => (file?.length === undefined ? file : { ...file })));
    return project.call("doctor");
  },
  call: ({ name, params }) => project.call(name, params),
  /** Sets the reader, with a text for each English one; without texts, there is none. */
  setReader({ texts }) {
    const text = (english) => texts[english];
    base.setReader(texts && { translated: text, retold: text });
  },
  /** Calls with parameters that JSON cannot represent. */
  callWith({ name, kind }) {
    const cyclic = {};
    cyclic.query = cyclic;
    let deep = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const given = { cyclic, deep, bigint: { query: 10n }, function: () => 1, undefined, text: "query" };
    return project.call(name, given[kind]);
  },
  /** The time of each call in milliseconds. */
  time({ calls }) {
    return calls.map(({ name, params }) => {
      const begun = performance.now();
      project.call(name, params);
      return performance.now() - begun;
    });
  },
  file: ({ path }) => project.file(path)?.length ?? null,
  /** Sets the model as the encoder; with `record`, stores the embedded texts for `recorded`. */
  setEncoder({ record }) {
    recorded = [];
    const embed = (kind, texts) => {
      const vectors = encoder.embed(kind, texts);
      if (kind === "passage") recorded.push(...texts.map((text, at) => ({ text, vector: [...vectors[at]] })));
      return vectors;
    };
    project.setEncoder(encoder.info(), record ? { embed, tokenRanges: (text) => encoder.tokenRanges(text) } : encoder);
  },
  recorded: () => recorded,
  /** Sets an encoder with invalid answers. */
  setBrokenEncoder({ kind }) {
    const info = { name: "broken", identity: "broken@1", dimensions: 4, window: 16, scripts: [] };
    const embed = {
      throws: () => { throw new Error("out of order"); },
      short: (_, texts) => texts.map(() => new Float32Array(3)),
      few: () => [],
      nan: (_, texts) => texts.map(() => new Float32Array(4).fill(NaN)),
      text: () => "vectors",
    }[kind];
    const tokenRanges = kind === "ranges" ? () => new Uint32Array([0, 4_000_000_000]) : () => new Uint32Array([0, 1]);
    project.setEncoder(info, { embed: embed ?? ((_, texts) => texts.map(() => new Float32Array(4).fill(0.5))), tokenRanges });
  },
  /** Sets an encoder that calls the project during embedding. */
  setNosyEncoder() {
    const info = { name: "nosy", identity: "nosy@1", dimensions: 4, window: 16, scripts: [] };
    const ask = () => project.call("status");
    project.setEncoder(info, { embed: ask, tokenRanges: ask });
  },
  /** Breaks the clock during one call, which then aborts. */
  breakOff() {
    const { now } = performance;
    performance.now = () => { throw new Error("no clock"); };
    try {
      return project.embedPending(10);
    } finally {
      performance.now = now;
    }
  },
  setEncoderWith: ({ info }) => project.setEncoder(info, encoder ?? {}),
  embedPending: ({ milliseconds }) => project.embedPending(milliseconds),
  embed: ({ kind, texts }) => encoder.embed(kind, texts).map((vector) => [...vector]),
  tokenRanges: ({ text }) => [...encoder.tokenRanges(text)],
  newEncoder: ({ model, tokenizer, description }) =>
    new semantic.Encoder(encode(model), encode(tokenizer), description).embed("query", ["text"]),
  parse: ({ text, linkTypes }) => base.parse(text, linkTypes),
  /** Calls the project after closing it. */
  useAfterFree() {
    const closed = project;
    closed.free();
    return closed.call("status");
  },
};

/** Runs a command; the answer contains the error, if any. */
export async function run(command, given) {
  try {
    return { answer: (await commands[command](given ?? {})) ?? null };
  } catch (error) {
    const { name, code, hint, message } = error;
    return { error: { name, code, hint, message, isError: error instanceof Error } };
  }
}
