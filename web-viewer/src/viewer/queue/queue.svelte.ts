// What waits for a person besides proposals: contradictory memories, suggested links and their types.
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
  constructor(client: () => UbpClient | null) {
    super(client, async (client, isShown) => ({ ...(await client.call('queue', { limit: isShown ? MOST : 1 })), hasItems: isShown }));
  }

  protected override isWhole(answer: Answer | null): boolean {
    return answer?.hasItems ?? false;
  }

  /** In the order of the engine, without proposals, whose list is more recent; null until they were first listed. */
  get items(): readonly Item[] | null {
    return this.answer?.hasItems ? this.answer.items.filter(({ kind }) => kind !== 'proposal') : null;
  }

  count(kind: Kind): number {
    return this.answer?.counts.find((one) => one.kind === kind)?.count ?? 0;
  }

  /** An item was decided, and leaves the list before the next answer. */
  drop(key: string): void {
    const { answer } = this;
    const item = answer?.items.find((item) => keyOf(item) === key);
    if (!answer || !item) return;
    const counts = answer.counts.map((one) => (one.kind === item.kind ? { ...one, count: one.count - 1 } : one));
    this.answer = { ...answer, counts, items: answer.items.filter((other) => other !== item) };
  }
}
