// Runs before the first paint, so that a chosen theme and a closed page list do not flash, and nothing moves when the app
// starts. Emitted unchanged.
try {
  const { theme, side, font, width } = JSON.parse(localStorage.getItem('ubp') || '{}');
  const root = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') root.theme = theme;
  if (side === false) root.side = 'closed';
  if (font === 'serif' || font === 'mono') root.font = font;
  if (width === 'narrow' || width === 'wide' || width === 'full') root.width = width;
} catch {
  // Storage may be forbidden or contain something else: use the defaults.
}
try {
  const { mode, hub, guest } = JSON.parse(document.getElementById('ubp-site').textContent);
  if (mode === 'hub' || (mode === 'server' && !hub?.read_only && guest?.right !== 'read')) document.documentElement.dataset.mode = mode;
} catch {
  // A page without a description keeps the reading layout.
}
// Tabs of the viewer, which `viewer/tabs` keeps: their bar has its space before they are there.
try {
  if (sessionStorage.getItem('ubp:has-tabs')) document.documentElement.dataset.tabs = '';
} catch {
  // Without storage, there is one tab at first.
}
// Modules cannot be loaded from `file:` URLs, so such a page stays static.
if (location.protocol === 'file:') document.documentElement.dataset.still = '';
