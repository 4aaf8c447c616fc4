// Replaces `with-engine.ts` if the engine was not compiled: enough for servers, which answer all calls themselves.
import { ClientError } from './client';
import { words } from '../words/words';

export function startWorker(): never {
  throw new ClientError('no_engine', words.app.noEngine);
}
