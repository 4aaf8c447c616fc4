import { describe, expect, it } from 'vitest';
import { addressIn, EDITORS } from './opener';

describe('the address of a file in an editor', () => {
  const of = (template: string, path = '/home/ada/My docs/設計.md', line = 12) => addressIn(template, path, line);

  it('has the encoded path and the line', () => {
    expect(of('vscode://file/{path}:{line}')).toBe('vscode://file/home/ada/My%20docs/%E8%A8%AD%E8%A8%88.md:12');
    expect(of('idea://open?file={path}&line={line}')).toBe('idea://open?file=/home/ada/My%20docs/%E8%A8%AD%E8%A8%88.md&line=12');
  });

  it('keeps the drive of a Windows path', () => {
    expect(of('vscode://file/{path}:{line}', 'C:/docs/a.md', 1)).toBe('vscode://file/C:/docs/a.md:1');
    expect(of('idea://open?file={path}', 'C:/docs/a.md')).toBe('idea://open?file=C:/docs/a.md');
  });

  it('encodes characters that would end the path, and inserts `$&` unchanged', () => {
    expect(of('vscode://file/{path}', '/a/100% #1?&$&.md')).toBe('vscode://file/a/100%25%20%231%3F%26%24%26.md');
  });

  it('is refused without a path, without a scheme, and with a scheme that runs here', () => {
    for (const template of ['', 'vscode://file/', '{path}', '/usr/bin/code {path}', 'javascript:alert("{path}")', ' JavaScript:{path}', 'data:text/html,{path}', 'blob:{path}']) expect(of(template), template).toBeNull();
  });

  it('is valid for every proposed editor', () => {
    for (const { template } of EDITORS) expect(URL.canParse(of(template) ?? ''), template).toBe(true);
  });
});
