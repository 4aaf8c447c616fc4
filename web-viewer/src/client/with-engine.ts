// Starts the engine in a worker. If the engine was not compiled, the build uses `without-engine.ts` instead.
export function startWorker(): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'ubp' });
}
