import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelServer, World, tick, type Weather } from './testing';

describe('when it saves', () => {
  it('300 ms after the last key', async () => {
    const world = new World('a\n');
    world.type(0, 'x');
    world.timers.pass(200);
    world.type(0, 'y');
    world.timers.pass(299);
    await tick();
    expect(world.server.isQuiet).toBe(true);
    world.timers.pass(1);
    await world.settle();
    expect(world.server.text).toBe('yxa\n');
    expect(world.status).toEqual(['unsaved', 'unsaved', 'saving', 'saved']);
    expect(world.draft).toBeNull();
  });

  it('every 2 s during continuous typing', async () => {
    const world = new World('');
    for (let key = 0; key < 10; key++) {
      world.type(0, 'x');
      world.timers.pass(220);
    }
    await tick();
    expect(world.server.isQuiet).toBe(false);
  });

  it('at once after pasting or on request', async () => {
    const world = new World('');
    world.type(0, 'pasted', 'pasted');
    await tick();
    expect(world.server.isQuiet).toBe(false);
    await world.settle();
    world.type(0, 'x');
    void world.saver.save();
    await tick();
    expect(world.server.isQuiet).toBe(false);
  });

  it('not during a composition, except when the page is closed', async () => {
    const world = new World('');
    world.compose(true);
    world.type(0, 'に');
    world.timers.pass(5_000);
    await tick();
    expect(world.server.isQuiet).toBe(true);
    expect(world.draft?.text).toBe('に');
    world.isComposing = false;
    void world.saver.leave();
    await world.settle();
    expect(world.server.text).toBe('に');
  });

  it('again automatically once the server is back, with status updates', async () => {
    const world = new World('');
    world.server.weather = 'gone-before';
    world.type(0, 'x');
    for (let round = 0; round < 8; round++) {
      world.timers.pass(2_000);
      await tick();
      world.server.step(0);
      await tick();
    }
    expect(world.status.at(-1)).toBe('offline');
    expect(world.draft?.text).toBe('x');
    world.server.weather = 'fine';
    await world.settle();
    expect(world.server.text).toBe('x');
    expect(world.status.at(-1)).toBe('saved');
  });

  it('nothing if the text equals the file', async () => {
    const world = new World('a');
    world.type(0, 'x');
    world.text = 'a';
    world.saver.edited();
    await world.settle();
    expect(world.server.writes).toBe(0);
    expect(world.status.at(-1)).toBe('saved');
  });

  it('without interrupting typing when the server reports its own writes', async () => {
    const world = new World('');
    world.type(0, 'x');
    await world.settle();
    world.type(0, 'y');
    void world.saver.fileChanged();
    for (let round = 0; round < 4; round++) {
      await tick();
      world.server.step(0);
    }
    await tick();
    expect(world.server.writes).toBe(1);
    await world.settle();
    expect(world.server.text).toBe('yx');
  });
});

describe('when the file changes', () => {
  it('shows the change if there are no unsaved edits', async () => {
    const world = new World('a\n');
    world.server.text = 'b\n';
    void world.saver.fileChanged();
    await world.settle();
    expect(world.text).toBe('b\n');
  });

  it('merges edits that do not touch, with a notice', async () => {
    const world = new World('a\nb\nc\n');
    world.type(0, 'x');
    world.server.text = 'a\nb\nc!\n';
    await world.settle();
    expect(world.server.text).toBe('xa\nb\nc!\n');
    expect(world.text).toBe(world.server.text);
    expect(world.notices).toHaveLength(1);
  });

  it('asks if both edited the same place, and writes nothing until then', async () => {
    const world = new World('a\n');
    world.type(0, 'mine ');
    world.server.text = 'yours a\n';
    await world.settle();
    expect(world.theirs).toBe('yours a\n');
    expect(world.text).toBe('mine a\n');
    expect(world.draft?.text).toBe('mine a\n');
    world.type(0, 'and ');
    world.timers.pass(10_000);
    await tick();
    expect(world.server.text).toBe('yours a\n');
    void world.saver.resolve();
    await world.settle();
    expect(world.server.text).toBe('and mine a\n');
  });

  it('recognises its own write whose answer was lost', async () => {
    const world = new World('a\n');
    world.type(0, 'x');
    void world.saver.save();
    await tick();
    world.server.step(0);
    await tick();
    world.server.weather = 'gone-after';
    world.server.step(0);
    world.type(0, 'y');
    await tick();
    world.server.weather = 'fine';
    await world.settle();
    expect(world.theirs).toBeNull();
    expect(world.server.text).toBe('yxa\n');
  });

  it('adopts changes by the engine, even during typing', async () => {
    const world = new World('---\nat: 0\n---\nbody\n');
    world.server.completes = true;
    world.type(18, 'x');
    void world.saver.save();
    await tick();
    world.type(18, 'y');
    await world.settle();
    expect(world.text).toBe(world.server.text);
    expect(world.server.text).toMatch(/^---\nat: [12]\n---\nbody.*/);
    expect(world.server.text).toContain('x');
    expect(world.server.text).toContain('y');
    expect(world.theirs).toBeNull();
  });
});

describe('when the file is deleted', () => {
  const gone = async (text: string, typed = '') => {
    const world = new World(text);
    world.server.isThere = false;
    if (typed) world.type(0, typed);
    void world.saver.fileChanged();
    await world.settle();
    expect(world.status.at(-1)).toBe('gone');
    return world;
  };

  it('keeps the text as a draft, edited or not, and sends no more requests', async () => {
    for (const typed of ['', 'x']) {
      const world = await gone('a\n', typed);
      expect(world.draft?.text).toBe(`${typed}a\n`);
      expect(world.timers.isIdle).toBe(true);
      world.type(0, 'y');
      void world.saver.save();
      await world.settle();
      expect(world.status.at(-1)).toBe('gone');
      expect(world.draft?.text).toBe(`y${typed}a\n`);
      expect(world.server.isThere).toBe(false);
    }
  });

  it('restores it on request and continues to save', async () => {
    const world = await gone('a\n', 'x');
    void world.saver.restore();
    await tick();
    world.type(0, 'y');
    await world.settle();
    expect(world.server.isThere).toBe(true);
    expect(world.server.text).toBe('yxa\n');
    expect(world.status.at(-1)).toBe('saved');
    expect(world.draft).toBeNull();
  });

  it('reports why it could not be restored, and keeps the text', async () => {
    const world = await gone('a\n', 'x');
    world.server.weather = 'full';
    void world.saver.restore();
    await world.settle();
    expect(world.messages.at(-1)).toBe('No space is left.');
    expect(world.draft?.text).toBe('xa\n');
    world.server.weather = 'fine';
    void world.saver.restore();
    await world.settle();
    expect(world.server.text).toBe('xa\n');
  });

  it('shows or merges the file if it comes back', async () => {
    const follows = await gone('a\nb\nc\n');
    Object.assign(follows.server, { isThere: true, text: 'a\nb\nC\n' });
    void follows.saver.fileChanged();
    await follows.settle();
    expect(follows.text).toBe('a\nb\nC\n');
    expect(follows.status.at(-1)).toBe('saved');
    const merges = await gone('a\nb\nc\n', 'x');
    Object.assign(merges.server, { isThere: true, text: 'a\nb\nC\n' });
    void merges.saver.fileChanged();
    await merges.settle();
    expect(merges.text).toBe('xa\nb\nC\n');
    expect(merges.server.text).toBe(merges.text);
  });

  it('never overwrites a file that came back unnoticed', async () => {
    const world = await gone('a\nb\nc\n', 'x');
    Object.assign(world.server, { isThere: true, text: 'a\nb\nC\n' });
    void world.saver.restore();
    await world.settle();
    expect(world.server.text).toBe('xa\nb\nC\n');
  });

  it('continues with an open conflict if the file comes back unchanged', async () => {
    const world = new World('a\n');
    world.type(0, 'mine ');
    world.server.text = 'yours a\n';
    await world.settle();
    world.server.isThere = false;
    void world.saver.fileChanged();
    await tick();
    world.server.step(0);
    await tick();
    world.server.step(0);
    await tick();
    expect(world.status.at(-1)).toBe('gone');
    world.server.isThere = true;
    void world.saver.fileChanged();
    await tick();
    world.server.step(0);
    await tick();
    world.server.step(0);
    await tick();
    expect(world.status.at(-1)).toBe('conflict');
    expect(world.theirs).toBe('yours a\n');
  });

  it('deletes the draft if the text is discarded', async () => {
    const world = await gone('a\n', 'x');
    void world.saver.fileChanged();
    await tick();
    world.saver.letGo();
    await world.settle();
    world.type(0, 'y');
    expect(world.draft).toBeNull();
  });
});

describe('a leftover draft', () => {
  const draft = { text: 'mine\n', base: { text: 'a\n', hash: ModelServer.hash('a\n') } };

  it('is restored if the file is unchanged since', async () => {
    const world = new World('a\n');
    world.saver.takeUp(draft);
    expect(world.text).toBe('mine\n');
    await world.settle();
    expect(world.server.text).toBe('mine\n');
  });

  it('is shown as a conflict if the file changed, even if the edits do not touch', async () => {
    const world = new World('a\nb\nc\nd\n');
    world.saver.takeUp({ text: 'a\nb\nc\nD\n', base: { text: 'A\nb\nc\nd\n', hash: ModelServer.hash('A\nb\nc\nd\n') } });
    void world.saver.fileChanged();
    await world.settle();
    expect(world.theirs).toBe('a\nb\nc\nd\n');
    expect(world.text).toBe('a\nb\nc\nD\n');
    expect(world.server.text).toBe('a\nb\nc\nd\n');
  });

  it('is ignored if nothing was edited', () => {
    const world = new World('b\n');
    world.saver.takeUp({ text: 'a\n', base: { text: 'a\n', hash: ModelServer.hash('a\n') } });
    expect(world.text).toBe('b\n');
    expect(world.draft).toBeNull();
  });

  it('is ignored if it equals the file', () => {
    const world = new World('mine\n');
    world.saver.takeUp(draft);
    expect(world.theirs).toBeNull();
    expect(world.draft).toBeNull();
  });
});

type Act =
  | { do: 'type' | 'paste' | 'external' | 'line'; at: number }
  | { do: 'step'; which: number }
  | { do: 'pass'; time: number }
  | { do: 'weather'; weather: Weather }
  | { do: 'tell' | 'save' | 'compose' | 'composed' | 'crash' | 'resolve' | 'delete' | 'restore' | 'again' };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('type' as const, 'line' as const), at: fc.nat({ max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('paste' as const), at: fc.nat({ max: 60 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('external' as const), at: fc.nat({ max: 60 }) }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('step' as const), which: fc.nat({ max: 3 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pass' as const), time: fc.constantFrom(50, 300, 2_000, 9_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('weather' as const), weather: fc.constantFrom<Weather>('fine', 'fine', 'gone-before', 'gone-after', 'full') }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('tell' as const, 'save' as const, 'compose' as const, 'composed' as const, 'crash' as const, 'resolve' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'restore' as const, 'again' as const) }) },
);

describe('with random events', () => {
  it.each([false, true])('no letter is lost (front matter completed: %s)', async (completes) => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 80 }), async (acts) => {
        const world = new World(completes ? '---\nat: 0\n---\none\ntwo\nthree\n' : 'one\ntwo\nthree\n');
        world.server.completes = completes;
        const typed: string[] = [];
        let foreign: string[] = [];
        let number = 0;
        const floor = completes ? 14 : 0;
        /** Letters of other alphabets: unique, so that each one can be traced. */
        const letter = (list: string[], from: number) => {
          const sign = String.fromCodePoint(from + number++);
          list.push(sign);
          return sign;
        };
        const lost = (signs: string[], texts: (string | null | undefined)[]) => signs.filter((sign) => !texts.some((text) => text?.includes(sign)));
        for (const one of acts) {
          await tick();
          if (one.do === 'type' || one.do === 'paste' || one.do === 'line') {
            const sign = letter(typed, 0x3400);
            const place = Math.max(floor, one.at % (world.text.length + 1));
            world.type(Math.min(place, world.text.length), one.do === 'line' ? `${sign}\n` : sign, one.do === 'paste' ? 'pasted' : 'typed');
          } else if (one.do === 'external') {
            if (!world.server.isThere) continue;
            const sign = letter(foreign, 0xac00);
            const { text } = world.server;
            const at = Math.min(text.length, Math.max(floor, one.at % (text.length + 1)));
            world.server.text = `${text.slice(0, at)}${sign}${text.slice(at)}`;
          } else if (one.do === 'step') world.server.step(one.which);
          else if (one.do === 'pass') world.timers.pass(one.time);
          else if (one.do === 'weather') world.server.weather = one.weather;
          else if (one.do === 'tell') void world.saver.fileChanged();
          else if (one.do === 'save') void world.saver.save();
          else if (one.do === 'compose') world.compose(true);
          else if (one.do === 'composed') world.compose(false);
          else if (one.do === 'crash') world.crash();
          else if (one.do === 'delete') {
            world.server.isThere = false;
            // Text in the file that the editor never saw may be lost with the file.
            foreign = foreign.filter((sign) => world.text.includes(sign));
          } else if (one.do === 'restore') world.server.isThere = true;
          else if (one.do === 'again') void world.saver.restore();
          else {
            // Keeps both versions in every conflict.
            if (world.theirs !== null) {
              const missing = lost(foreign, [world.text]).filter((sign) => world.theirs?.includes(sign));
              world.text += missing.join('');
            }
            void world.saver.resolve();
          }
          expect(lost(typed, [world.text]), 'a letter left the screen').toEqual([]);
          expect(lost(foreign, [world.server.text, world.text, world.theirs]), 'what another wrote was overwritten').toEqual([]);
        }
        world.server.weather = 'fine';
        world.compose(false);
        if (!world.server.isThere) {
          void world.saver.fileChanged();
          await world.settle();
          void world.saver.restore();
          await world.settle();
        }
        for (let round = 0; round < 5 && !(world.saver.isSettled && world.text === world.server.text); round++) {
          void world.saver.fileChanged();
          await world.settle();
          if (world.theirs === null) continue;
          expect(lost(foreign, [world.text, world.theirs, world.server.text])).toEqual([]);
          world.text += lost(foreign, [world.text]).join('');
          void world.saver.resolve();
          await world.settle();
        }
        expect(world.text).toBe(world.server.text);
        expect(lost(typed, [world.server.text])).toEqual([]);
        expect(lost(foreign, [world.server.text])).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  }, 60_000);
});
