// Saving.
export const saving = {
  movedTo: (asked: string, found: string) => `${asked} was moved or deleted. ${found} has the same name.`,
  slow: 'The server takes too long to respond.',
  restored: 'Unsaved edits were restored.',
  merged: 'The file also changed on disk. Both edits were merged.',
  mergedAgain: 'The file changed again on disk. Both edits were merged.',
  conflict: 'The file also changed on disk, in the same place. Choose which version to keep.',
};
