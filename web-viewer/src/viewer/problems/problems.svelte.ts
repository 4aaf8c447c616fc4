// What the doctor finds.
import type { DoctorOutput } from '#contract';
import type { UbpClient } from '../../client/client';
import { Survey } from '../survey.svelte';

export class Problems extends Survey<DoctorOutput> {
  /** The number of errors and warnings; null until the first check. */
  readonly count = $derived.by(() => {
    if (!this.answer) return null;
    let count = 0;
    for (const { severity } of this.answer.findings) if (severity !== 'info') count++;
    return count;
  });

  constructor(client: () => UbpClient | null) {
    super(client, (client) => client.call('doctor', {}));
  }
}
