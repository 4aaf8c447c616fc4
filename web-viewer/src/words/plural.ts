// Numbers with what they count, in English. Japanese has one form.
import { number } from './format';

const rules = new Intl.PluralRules('en');

export const isOne = (count: number): boolean => rules.select(count) === 'one';

export const counted = (count: number, one: string, other = `${one}s`): string => `${number(count)} ${isOne(count) ? one : other}`;
