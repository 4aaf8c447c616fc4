// Tabs of pages.
export const tabs = {
  title: 'Tabs',
  list: 'Open pages',
  count: (count: number) => `Tabs: ${count}`,
  tab: (name: string) => `Tab: ${name}`,
  unsaved: ', not saved yet',
  topFolder: 'top folder',
  new: 'New tab',
  newKeys: (keys: string) => `New tab (${keys})`,
  close: 'Close tab',
  closeKeys: (keys: string) => `Close tab (${keys})`,
  closeOthers: 'Close other tabs',
  moveLeft: 'Move to the left',
  moveRight: 'Move to the right',
};
