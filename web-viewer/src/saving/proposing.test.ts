import { describe, expect, it } from 'vitest';
import type { SaveStatus } from '../editor/mount';
import { ModelServer, World } from './testing';
import { Saver, type Draft, type PageFile } from './saver';

describe('edits that are only proposed', () => {
  it('wait for the user, are kept as a draft, and are settled once the file has them', async () => {
    const world = new World('a\n\n\nz\n');
    world.saver.close();
    const { server } = world;
    const proposing: PageFile = { ...server.file(), write: (text, hash) => Promise.resolve({ text, hash, isProposed: true }) };
    const known = { text: 'a\n\n\nz\n', hash: ModelServer.hash('a\n\n\nz\n') };
    const status: string[] = [];
    let draft: Draft | null = null;
    let text = known.text;
    const buffer = { text: () => text, adopt: (adopted: string) => void (text = adopted), showConflict: () => undefined };
    const events = { onStatus: ({ state }: SaveStatus) => void status.push(state), onNotice: () => undefined, onDraft: (make: () => Draft | null) => void (draft = make()) };
    const saver = new Saver(proposing, buffer, known, world.timers, events, true);
    text = 'xa\n\n\nz\n';
    saver.edited();
    saver.edited('pasted');
    world.timers.pass(60_000);
    await saver.leave();
    expect([status.at(-1), server.text, (draft as Draft | null)?.text]).toEqual(['unsaved', 'a\n\n\nz\n', 'xa\n\n\nz\n']);
    await saver.save(true);
    expect([status.at(-1), server.text, (draft as Draft | null)?.text, saver.hasEdits]).toEqual(['proposed', 'a\n\n\nz\n', 'xa\n\n\nz\n', true]);
    // Somebody changes another place of the file, and then accepts the proposal.
    server.text = 'a\n\n\nz\nb\n';
    const pulled = saver.fileChanged();
    await world.settleSteps();
    await pulled;
    expect([text, status.at(-1)]).toEqual(['xa\n\n\nz\nb\n', 'unsaved']);
    server.text = 'xa\n\n\nz\nb\n';
    const accepted = saver.fileChanged();
    await world.settleSteps();
    await accepted;
    expect([status.at(-1), draft, saver.isSettled]).toEqual(['saved', null, true]);
  });
});
