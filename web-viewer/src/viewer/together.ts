// Several changes of pages that belong together: all of them are made, or none, and one undo takes all of them back. The
// engine has no operation for folders; each page is renamed by itself.
import { ClientError, type Output, type UbpClient } from '../client/client';

export interface Move {
  from: string;
  to: string;
}

type Calls = Pick<UbpClient, 'call'>;

/**
 * Moves pages to new paths, in order. Returns the entries of the audit log for `takeBack`. Each move is reported when it is
 * made, and reversed when it is taken back. If one fails, the earlier ones are taken back, and its error is thrown.
 */
export async function moveTogether(client: Calls, moves: readonly Move[], onMoved: (move: Move) => Promise<void>): Promise<string[]> {
  const entries: string[] = [];
  const made: Move[] = [];
  for (const move of moves) {
    try {
      const { audit_id } = await client.call('rename_page', { page: move.from, path: move.to });
      if (audit_id) entries.push(audit_id);
      made.push(move);
      await onMoved(move);
    } catch (error) {
      await takeBack(client, entries);
      for (const { from, to } of made.reverse()) await onMoved({ from: to, to: from });
      throw error;
    }
  }
  return entries;
}

/**
 * Undoes the entries, the last first. Returns what was done, in this order. If one cannot be undone, those that were are made
 * again, and its error is thrown.
 */
export async function takeBack(client: Calls, entries: readonly string[]): Promise<Output<'undo'>[]> {
  const undone: Output<'undo'>[] = [];
  for (const entry of [...entries].reverse()) {
    try {
      undone.push(await client.call('undo', { entry }));
    } catch (error) {
      for (const { audit_id } of [...undone].reverse()) if (audit_id) await client.call('undo', { entry: audit_id });
      throw ClientError.from(error);
    }
  }
  return undone;
}
