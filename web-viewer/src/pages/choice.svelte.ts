// The filters of the list. They outlive the list, which is destroyed with its drawer.
import { EVERYTHING, type Choice } from './listing';

export const choice = $state<Choice>({ ...EVERYTHING });
