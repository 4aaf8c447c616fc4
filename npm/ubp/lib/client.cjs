// The client of an open project, and the command as a function.
"use strict";

const { EventEmitter } = require("node:events");
const { resolve } = require("node:path");
const { fileURLToPath } = require("node:url");
const { load } = require("./addon.cjs");
const { UbpError } = require("./error.cjs");

// Returns the value of an answer of the addon, or throws its error.
function value({ json, error }) {
  if (error) throw new UbpError(error);
  return JSON.parse(json);
}

// Requests a stop when the signal is aborted. Returns a function that removes the listener.
function stopOn(signal, stop) {
  if (!signal) return () => {};
  if (signal.aborted) stop.request();
  const request = () => stop.request();
  signal.addEventListener("abort", request, { once: true });
  return () => signal.removeEventListener("abort", request);
}

// Adds the reason of the signal to the error of a cancelled call.
function stopped(error, signal) {
  if (error.code === "cancelled" && signal?.aborted) error.cause = signal.reason;
  return error;
}

class Client extends EventEmitter {
  #project;
  #folder;
  #root;
  #closing;
  // Events emitted before the program can add listeners; `null` afterwards.
  #early = [];

  constructor(folder) {
    super();
    const { Project } = load();
    this.#folder = folder;
    // A weak reference, so that the addon does not keep an unused client alive.
    const client = new WeakRef(this);
    this.#project = new Project(folder, (text) => {
      const { event, ...told } = JSON.parse(text);
      client.deref()?.#tell(event, told);
    });
  }

  #tell(event, told) {
    if (this.#early) this.#early.push([event, told]);
    else this.emit(event, told);
  }

  // Emits the events of opening once the program has had time to add listeners.
  #opened(root) {
    this.#root = root;
    setImmediate(() => {
      const early = this.#early;
      this.#early = null;
      for (const [event, told] of early) this.emit(event, told);
    });
    return this;
  }

  static async open(folder) {
    const client = new Client(folder);
    return client.#opened(value(await client.#project.open()));
  }

  static openSync(folder) {
    const client = new Client(folder);
    return client.#opened(value(client.#project.openSync()));
  }

  get root() {
    return this.#root;
  }

  get closed() {
    return this.#closing !== undefined;
  }

  async call(name, params = {}, { signal } = {}) {
    this.#refuseClosed();
    const { Stop } = load();
    const stop = new Stop();
    const release = stopOn(signal, stop);
    try {
      return value(await this.#project.call(String(name), JSON.stringify(params), stop));
    } catch (error) {
      throw stopped(error, signal);
    } finally {
      release();
    }
  }

  callSync(name, params = {}) {
    this.#refuseClosed();
    return value(this.#project.callSync(String(name), JSON.stringify(params)));
  }

  close() {
    this.#closing ??= this.#project.close().then(value).then(() => {});
    return this.#closing;
  }

  #refuseClosed() {
    if (this.closed) {
      throw new UbpError({
        code: "closed",
        message: `the project in ${this.#folder} was closed`,
        hint: "open it again with open()",
      });
    }
  }
}
if (Symbol.asyncDispose) {
  Object.defineProperty(Client.prototype, Symbol.asyncDispose, {
    value() {
      return this.close();
    },
    configurable: true,
    writable: true,
  });
}

async function open(folder = ".") {
  return Client.open(absolute(folder));
}

function openSync(folder = ".") {
  return Client.openSync(absolute(folder));
}

// Resolved at once, because the current folder may change before the project is opened.
function absolute(folder) {
  return resolve(folder instanceof URL ? fileURLToPath(folder) : folder);
}

async function run(args, { signal } = {}) {
  const addon = load();
  if (signal?.aborted) return 130;
  const stop = new addon.Stop();
  const release = stopOn(signal, stop);
  try {
    const program = [process.execPath, require.resolve("../bin/ubp.js")];
    return value(await addon.run(["ubp", ...args], stop, program));
  } finally {
    release();
  }
}

module.exports = { Client, UbpError, open, openSync, run };
