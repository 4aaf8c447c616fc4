// Where the palette opens a page.

/** A tab of the browser, a tab of the application, or the current one. */
export type Where = 'browser' | 'tab' | null;

export const whereOf = ({ metaKey, ctrlKey, altKey }: KeyboardEvent | MouseEvent): Where => (metaKey || ctrlKey ? 'browser' : altKey ? 'tab' : null);
