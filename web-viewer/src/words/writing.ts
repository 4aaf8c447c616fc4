// The words of projects that can be written, apart from the first view of exported sites.
import english from './en/writer';
import { catalogue } from './language.svelte';

export const writing = catalogue(english, () => import('./ja/writer'));
