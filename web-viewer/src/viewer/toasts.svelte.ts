// What was done, told in passing, with the way back where there is one.

export interface Toast {
  id: number;
  text: string;
  /** What takes it back. */
  undo: (() => Promise<void>) | null;
  isProblem: boolean;
}

class Toasts {
  shown = $state.raw<readonly Toast[]>([]);
  #next = 0;

  /** The latest that can be taken back. */
  get undoable(): Toast | null {
    return this.shown.findLast(({ undo }) => undo !== null) ?? null;
  }

  tell(text: string, undo: Toast['undo'] = null): void {
    this.#add({ text, undo, isProblem: false });
  }

  warn(text: string): void {
    this.#add({ text, undo: null, isProblem: true });
  }

  dismiss(id: number): void {
    this.shown = this.shown.filter((toast) => toast.id !== id);
  }

  #add(toast: Omit<Toast, 'id'>): void {
    // Three at most: what is older was seen or is not missed.
    this.shown = [...this.shown.filter(({ text }) => text !== toast.text).slice(-2), { ...toast, id: ++this.#next }];
  }
}

export const toasts = new Toasts();
