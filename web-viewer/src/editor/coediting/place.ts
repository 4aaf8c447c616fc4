// Where the extensions of a page that is edited together are, while there are others.
import { Compartment } from '@codemirror/state';

export const sharing = new Compartment();
