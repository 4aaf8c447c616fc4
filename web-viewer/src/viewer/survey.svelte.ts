// A question about the whole project, whose answer takes long. It is asked when changes have stopped for a while, and rarely if
// it takes long.
import { ClientError, type UbpClient } from '../client/client';

/** Milliseconds without a change before it is asked again: while the answer is shown, and in the background. */
const QUIET_MS = { shown: 400, background: 3000 };
/** Between two questions in the background, the server is idle for this many times the duration of one. */
const REST = 15;

export class Survey<Answer> {
  readonly #client: () => UbpClient | null;
  readonly #question: (client: UbpClient, isShown: boolean) => Promise<Answer>;
  answer = $state.raw<Answer | null>(null);
  failure = $state.raw<ClientError | null>(null);
  isAsking = $state(false);
  #isShown = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = 0;
  #took = 0;
  #isOutdated = false;

  /** `client` returns null while the project is not open. `isShown`: the answer is on screen, not only counted. */
  constructor(client: () => UbpClient | null, question: (client: UbpClient, isShown: boolean) => Promise<Answer>) {
    this.#client = client;
    this.#question = question;
    document.addEventListener('visibilitychange', () => this.#isOutdated && this.changed());
  }

  /** Something changed: asks soon. */
  changed(): void {
    this.#isOutdated = true;
    clearTimeout(this.#timer);
    // Nobody looks at the answer.
    if (document.visibilityState === 'hidden') return;
    const rest = this.#isShown ? 0 : this.#ended + REST * this.#took - performance.now();
    this.#timer = setTimeout(() => void this.ask(), Math.max(QUIET_MS[this.#isShown ? 'shown' : 'background'], rest));
  }

  /** The answer is on screen. Returns a function to call when it is not any more. */
  show(): () => void {
    this.#isShown = true;
    if (this.#isOutdated || !this.isWhole(this.answer)) void this.ask();
    return () => (this.#isShown = false);
  }

  /** Whether the answer has all that is shown. */
  protected isWhole(answer: Answer | null): boolean {
    return answer !== null;
  }

  async ask(): Promise<void> {
    const client = this.#client();
    // One at a time. A change in the meantime is asked about afterwards.
    if (!client || this.isAsking) return;
    clearTimeout(this.#timer);
    this.isAsking = true;
    this.#isOutdated = false;
    const start = performance.now();
    try {
      this.answer = await this.#question(client, this.#isShown);
      this.failure = null;
    } catch (error) {
      this.failure = ClientError.from(error);
    }
    this.#ended = performance.now();
    this.#took = this.#ended - start;
    this.isAsking = false;
    if (this.#isOutdated) this.changed();
    else if (this.#isShown && this.failure === null && !this.isWhole(this.answer)) void this.ask();
  }
}
