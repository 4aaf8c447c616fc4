// What the list is narrowed to. Outlives the list, which comes and goes with its drawer.
import { EVERYTHING, type Choice } from './listing';

export const choice = $state<Choice>({ ...EVERYTHING });
