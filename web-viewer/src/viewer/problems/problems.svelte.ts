// What the doctor finds.
import type { DoctorOutput } from '#contract';
import type { UbpClient } from '../../client/client';
import { Survey } from '../survey.svelte';
import { withClaims } from './groups';

export class Problems extends Survey<DoctorOutput> {
  /** The number of errors and warnings, without claims about the code; null until the first check. */
  readonly count = $derived.by(() => {
    if (!this.answer) return null;
    let count = 0;
    for (const { severity, claim } of this.answer.findings) if (severity !== 'info' && claim === null) count++;
    return count;
  });

  constructor(client: () => UbpClient | null) {
    // Claims about the code are compared with the whole history, so only while somebody looks.
    super(client, async (client, isShown) => {
      if (!isShown) return await client.call('doctor', {});
      const [plain, claims] = await Promise.all([client.call('doctor', {}), client.call('doctor', { claims: true })]);
      return withClaims(plain, claims);
    });
  }

  protected override isWhole(answer: DoctorOutput | null): boolean {
    return (answer?.claims ?? null) !== null;
  }
}
