// Toasts for completed actions, with undo if possible.

export interface Toast {
  id: number;
  text: string;
  /** Undoes it. */
  undo: (() => Promise<void>) | null;
  isProblem: boolean;
}

class Toasts {
  shown = $state.raw<readonly Toast[]>([]);
  /** Undo of the last action; it outlives its toast. */
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
    // At most three: older ones are not needed any more.
    this.shown = [...this.shown.filter(({ text }) => text !== toast.text).slice(-2), { ...toast, id: ++this.#next }];
  }
}

export const toasts = new Toasts();
