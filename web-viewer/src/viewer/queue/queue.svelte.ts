// What waits for a person besides proposals: contradictory memories, suggested links and their types, and links to code.
import type { Item, Kind, QueueOutput } from '#contract';
import type { UbpClient } from '../../client/client';
import { Survey } from '../survey.svelte';
import { keyOf } from './entries';

/** Number of items that are listed; the operation allows no more. */
const MOST = 1000;

interface Answer extends Pick<QueueOutput, 'items' | 'counts'> {
  /** Whether the items were asked for, and not only their numbers. */
  hasItems: boolean;
}

export class Queue extends Survey<Answer> {
  /** Links to code, for which the engine reads all code of the project. They are asked for only while the list is shown. */
  readonly #code: Survey<QueueOutput>;
  #showing = 0;

  constructor(client: () => UbpClient | null) {
    super(client, async (client, isShown) => ({ ...(await client.call('queue', { limit: isShown ? MOST : 1 })), hasItems: isShown }));
    this.#code = new Survey(client, (client) => client.call('queue', { kinds: ['code'], limit: MOST }));
  }

  override changed(): void {
    super.changed();
    if (this.#showing > 0) this.#code.changed();
    else this.#code.answer = null;
  }

  override show(): () => void {
    this.#showing++;
    const ends = [super.show(), this.#code.show()];
    return () => {
      this.#showing--;
      for (const end of ends) end();
    };
  }

  /** Whether links to code are still looked for. */
  get isReadingCode(): boolean {
    return this.#code.isAsking && this.#code.answer === null;
  }

  protected override isWhole(answer: Answer | null): boolean {
    return answer?.hasItems ?? false;
  }

  /** In the order of the engine, without proposals, whose list is more recent; null until they were first listed. */
  get items(): readonly Item[] | null {
    if (!this.answer?.hasItems) return null;
    return [...this.answer.items.filter(({ kind }) => kind !== 'proposal'), ...(this.#code.answer?.items ?? [])];
  }

  count(kind: Kind): number {
    const answer = kind === 'code' ? this.#code.answer : this.answer;
    return answer?.counts.find((one) => one.kind === kind)?.count ?? 0;
  }

  /** An item was decided, and leaves the list before the next answer. */
  drop(key: string): void {
    if (this.answer) this.answer = without(this.answer, key);
    if (this.#code.answer) this.#code.answer = without(this.#code.answer, key);
  }
}

function without<A extends Pick<QueueOutput, 'items' | 'counts'>>(answer: A, key: string): A {
  const item = answer.items.find((item) => keyOf(item) === key);
  if (!item) return answer;
  const counts = answer.counts.map((one) => (one.kind === item.kind ? { ...one, count: one.count - 1 } : one));
  return { ...answer, counts, items: answer.items.filter((other) => other !== item) };
}
