// Collects what is typed while a new page is loading. An empty field has the focus until the page is shown: input methods,
// pasting and Backspace work in it as usual.
import { writing } from '../words/writing';

export class TypeAhead {
  readonly #before = document.activeElement;
  readonly #field = document.createElement('textarea');
  #isComposing = false;

  /** Takes the focus. `text` was typed before. */
  constructor(text: string) {
    this.#field.className = 'hidden-text';
    this.#field.setAttribute('aria-label', writing.desk.newText);
    this.#field.dataset['typeAhead'] = '';
    this.#field.value = text;
    this.#field.addEventListener('compositionstart', () => (this.#isComposing = true));
    this.#field.addEventListener('compositionend', () => (this.#isComposing = false));
    this.#field.addEventListener('keydown', (event) => event.key === 'Tab' && event.preventDefault());
    // A dialog keeps the focus.
    ([...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body).append(this.#field);
    this.#field.focus({ preventScroll: true });
  }

  /** Resolves when the current composition has ended. */
  async composed(): Promise<void> {
    if (this.#isComposing) await new Promise((ended) => this.#field.addEventListener('compositionend', ended, { once: true }));
  }

  /** Ends it and returns the typed text. */
  end(): string {
    this.#field.remove();
    return this.#field.value;
  }

  /** The same if the page could not be opened: restores the focus, unless it was moved. */
  giveUp(): string {
    if (document.activeElement === this.#field && this.#before instanceof HTMLElement && this.#before.isConnected) this.#before.focus({ preventScroll: true });
    return this.end();
  }
}
