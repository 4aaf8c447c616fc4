// How each page is shown: as readers see it, or for editing. A page opens as the setting says, until the user chooses for it;
// that choice lasts as long as the tab. Who cannot change pages only reads them.
import { settings, type Face } from '../state/settings.svelte';

const KEY = 'ubp-faces';
const MOST = 500;

export class Faces {
  readonly #project: string;
  readonly #canEdit: boolean;
  #chosen = $state.raw<Readonly<Record<string, Face>>>({});

  constructor(project: string, canEdit: boolean) {
    this.#canEdit = canEdit;
    this.#project = `${KEY} ${project}`;
    try {
      this.#chosen = JSON.parse(sessionStorage.getItem(this.#project) ?? '{}') as Record<string, Face>;
    } catch {
      // Without storage, choices last until the page is closed.
    }
  }

  of(page: string | null): Face {
    if (!this.#canEdit) return 'read';
    return (page === null ? undefined : this.#chosen[page]) ?? settings.opening;
  }

  choose(page: string, face: Face): void {
    const { [page]: _, ...others } = this.#chosen;
    this.#keep({ ...Object.fromEntries(Object.entries(others).slice(1 - MOST)), [page]: face });
  }

  moved(from: string, to: string): void {
    const face = this.#chosen[from];
    if (face) this.choose(to, face);
  }

  #keep(chosen: Record<string, Face>): void {
    this.#chosen = chosen;
    try {
      sessionStorage.setItem(this.#project, JSON.stringify(chosen));
    } catch {
      // See above.
    }
  }
}
