// The words of the app that readers of every project see. Those of the editor and what is around it are in `writing`.
import english from './en/reader';
import { catalogue } from './language.svelte';

export const words = catalogue(english, () => import('./ja/reader'));
