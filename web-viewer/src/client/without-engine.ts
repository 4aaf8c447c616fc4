// Replaces `with-engine.ts` if the engine was not compiled: enough for servers, which answer all calls themselves.
import { ClientError } from './client';

export function startWorker(): never {
  throw new ClientError('no_engine', 'This build has no engine for browsers. It works only with `ubp viewer`.');
}
