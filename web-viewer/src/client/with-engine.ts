// Starts the engine in a worker. Where it was not compiled, `without-engine.ts` is built in the place of this.
export function startWorker(): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'ubp' });
}
