// In the place of `with-engine.ts` where the engine was not compiled: for servers, which answer everything themselves.
import { ClientError } from './client';

export function startWorker(): never {
  throw new ClientError('no_engine', 'This page has no engine of its own: it was built for `ubp viewer` only.');
}
