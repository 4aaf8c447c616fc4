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
  /** The way back from what was done last; it outlives its notice. */
  undoable = $state.raw<Toast['undo']>(null);
  #next = 0;

  tell(text: string, undo: Toast['undo'] = null): void {
    this.#add({ text, undo, isProblem: false });
  }

  warn(text: string): void {
    this.#add({ text, undo: null, isProblem: true });
  }

  dismiss(id: number): void {
    this.shown = this.shown.filter((toast) => toast.id !== id);
  }

  async undo(undo: Toast['undo']): Promise<void> {
    if (this.undoable === undo) this.undoable = null;
    this.shown = this.shown.filter((toast) => toast.undo !== undo);
    await undo?.();
  }

  #add(toast: Omit<Toast, 'id'>): void {
    if (toast.undo) this.undoable = toast.undo;
    // Three at most: what is older was seen or is not missed.
    this.shown = [...this.shown.filter(({ text }) => text !== toast.text).slice(-2), { ...toast, id: ++this.#next }];
  }
}

export const toasts = new Toasts();
