// What the tests do with the modules: the same code in Node and in a worker of a browser. Arguments
// and answers are JSON; bytes are fetched from the tests' server.
let base;
let semantic;
let encoder;
let project;
let recorded = [];

const fetched = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const encode = (text) => new TextEncoder().encode(text);

/** `[{path, text | base64 | url, modified}]` as the module wants its files. */
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
  /** Loads the base module: where its JavaScript and its code are. */
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
  /** Hands the module something that is no array of files. */
  openStrangeFiles({ given }) {
    project = base.Project.openFiles(given.map((file) => (file?.length === undefined ? file : { ...file })));
    return project.call("doctor");
  },
  call: ({ name, params }) => project.call(name, params),
  /** Calls with parameters that JSON has no word for. */
  callWith({ name, kind }) {
    const cyclic = {};
    cyclic.query = cyclic;
    let deep = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const given = { cyclic, deep, bigint: { query: 10n }, function: () => 1, undefined, text: "query" };
    return project.call(name, given[kind]);
  },
  /** Milliseconds that each of these calls takes. */
  time({ calls }) {
    return calls.map(({ name, params }) => {
      const begun = performance.now();
      project.call(name, params);
      return performance.now() - begun;
    });
  },
  file: ({ path }) => project.file(path)?.length ?? null,
  /** Gives the project the model; with `record`, what is embedded is kept for `recorded`. */
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
  /** An encoder that gives what no encoder should. */
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
  /** An encoder that asks the project it is part of. */
  setNosyEncoder() {
    const info = { name: "nosy", identity: "nosy@1", dimensions: 4, window: 16, scripts: [] };
    const ask = () => project.call("status");
    project.setEncoder(info, { embed: ask, tokenRanges: ask });
  },
  /** Takes the clock away for one call, which then breaks off where it stands. */
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
  /** Closes the project and uses it all the same. */
  useAfterFree() {
    const closed = project;
    closed.free();
    return closed.call("status");
  },
};

/** Runs a command; what it throws is part of the answer. */
export async function run(command, given) {
  try {
    return { answer: (await commands[command](given ?? {})) ?? null };
  } catch (error) {
    const { name, code, hint, message } = error;
    return { error: { name, code, hint, message, isError: error instanceof Error } };
  }
}
