// Menus of pages and folders.
export const menu = {
  openBeside: 'Open beside',
  openInEditor: 'Open in editor',
  showFile: 'Show in file manager',
  copyLink: 'Copy link',
  copyPath: 'Copy path',
  rename: 'Rename…',
  move: 'Move to…',
  delete: 'Delete…',
  newHere: 'New page here…',
  newTab: 'Open in new tab',
};
