// Several changes of pages that belong together: one undo takes all of them back, or none.
import { ClientError, type Output, type UbpClient } from '../client/client';

/**
 * Undoes the entries, the last first. Returns what was done, in this order. If one cannot be undone, those that were are made
 * again, and its error is thrown.
 */
export async function takeBack(client: Pick<UbpClient, 'call'>, entries: readonly string[]): Promise<Output<'undo'>[]> {
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
