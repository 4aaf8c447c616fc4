// What is typed while a page is on its way that was asked for to be written. An empty field has the keyboard until the page
// is there: input methods, pasting and Backspace work in it as in any other.

export class TypeAhead {
  readonly #before = document.activeElement;
  readonly #field = document.createElement('textarea');
  #isComposing = false;

  /** Takes the keyboard. `text` was typed before. */
  constructor(text: string) {
    this.#field.className = 'hidden-text';
    this.#field.setAttribute('aria-label', 'Text of the new page');
    this.#field.dataset['typeAhead'] = '';
    this.#field.value = text;
    this.#field.addEventListener('compositionstart', () => (this.#isComposing = true));
    this.#field.addEventListener('compositionend', () => (this.#isComposing = false));
    this.#field.addEventListener('keydown', (event) => event.key === 'Tab' && event.preventDefault());
    // A dialog keeps the keyboard to itself.
    ([...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body).append(this.#field);
    this.#field.focus({ preventScroll: true });
  }

  /** After what an input method is composing is text. */
  async composed(): Promise<void> {
    if (this.#isComposing) await new Promise((ended) => this.#field.addEventListener('compositionend', ended, { once: true }));
  }

  /** Ends it, and gives what was typed. */
  end(): string {
    this.#field.remove();
    return this.#field.value;
  }

  /** The same where no page came: the keyboard is where it was before, if nobody moved it. */
  giveUp(): string {
    if (document.activeElement === this.#field && this.#before instanceof HTMLElement && this.#before.isConnected) this.#before.focus({ preventScroll: true });
    return this.end();
  }
}
