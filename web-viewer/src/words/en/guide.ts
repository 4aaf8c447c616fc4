// The first steps of a writer.
export const guide = {
  write: 'Write',
  writeHow: 'A page is a Markdown file in this project. Edits are saved as you type. If another program changes the file, the changes appear here.',
  link: 'Link',
  linkHow: 'Type `[[` and a name. If the page does not exist yet, you can create it right there. Add `|` after the name to choose the type of the link.',
  find: 'Find',
  findHow: '{search} searches names, text and meaning, and runs commands. {shortcuts} shows all shortcuts.',
  trust: 'Trust',
  trustHow: 'List the code that a page describes, for example `source_refs: [src/login.js]`, between {fence} lines at its top. When that code changes, the page is marked for review.',
  title: 'Quick start',
};
