// What the doctor finds. It reads the whole project, so it runs when changes have stopped for a while, and rarely if it takes long.
import type { DoctorOutput } from '#contract';
import { ClientError, type UbpClient } from '../../client/client';

/** Milliseconds without a change before the project is checked again: while its problems are shown, and in the background. */
const QUIET_MS = { shown: 400, background: 3000 };
/** Between two checks in the background, the server is idle for this many times the duration of a check. */
const REST = 15;

export class Problems {
  readonly #client: () => UbpClient | null;
  answer = $state.raw<DoctorOutput | null>(null);
  failure = $state.raw<ClientError | null>(null);
  isChecking = $state(false);
  #isShown = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = 0;
  #took = 0;
  #isOutdated = false;

  /** The number of errors and warnings; null until the first check. */
  readonly count = $derived.by(() => {
    if (!this.answer) return null;
    let count = 0;
    for (const { severity } of this.answer.findings) if (severity !== 'info') count++;
    return count;
  });

  constructor(client: () => UbpClient | null) {
    this.#client = client;
    document.addEventListener('visibilitychange', () => this.#isOutdated && this.changed());
  }

  /** Something changed: checks the project soon. */
  changed(): void {
    this.#isOutdated = true;
    clearTimeout(this.#timer);
    // Nobody looks at the number.
    if (document.visibilityState === 'hidden') return;
    const rest = this.#isShown ? 0 : this.#ended + REST * this.#took - performance.now();
    this.#timer = setTimeout(() => void this.check(), Math.max(QUIET_MS[this.#isShown ? 'shown' : 'background'], rest));
  }

  /** The problems are on screen. Returns a function to call when they are not any more. */
  show(): () => void {
    this.#isShown = true;
    if (this.#isOutdated || !this.answer) void this.check();
    return () => (this.#isShown = false);
  }

  async check(): Promise<void> {
    const client = this.#client();
    // One at a time. A change in the meantime is checked afterwards.
    if (!client || this.isChecking) return;
    clearTimeout(this.#timer);
    this.isChecking = true;
    this.#isOutdated = false;
    const start = performance.now();
    try {
      this.answer = await client.call('doctor', {});
      this.failure = null;
    } catch (error) {
      this.failure = ClientError.from(error);
    }
    this.#ended = performance.now();
    this.#took = this.#ended - start;
    this.isChecking = false;
    if (this.#isOutdated) this.changed();
  }
}
