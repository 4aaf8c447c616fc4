import { expect, it } from 'vitest';
import { cellsIn, tableOf } from './pasted-table';

it('reads the cells of a spreadsheet, with quotes and line breaks in them', () => {
  expect(cellsIn('Name\tNote\r\nAda\t"two\nlines, ""quoted"""\r\n\t\r\n')).toEqual([['Name', 'Note'], ['Ada', 'two\nlines, "quoted"'], ['', '']]);
  expect(cellsIn('a\t5" pipe\nb\t"half')).toEqual([['a', '5" pipe'], ['b', '"half']]);
});

it('takes other text with tabs for what it is', () => {
  for (const text of ['', 'one\ttwo', 'no\ntabs', '\tif (a)\n\treturn', 'a\tb\nc', 'list:\n\t- one\n\t- two']) expect(cellsIn(text), text).toBeNull();
});

it('writes a Markdown table that keeps pipes and line breaks in their cells', () => {
  expect(tableOf([['Key', 'Value'], ['a|b', 'one\r\ntwo'], ['', ' x ']])).toBe('| Key | Value |\n| --- | --- |\n| a\\|b | one<br>two |\n|  | x |');
});
