// Runs before the first paint, so that a chosen theme and a closed page list do not flash, and nothing moves when the
// application comes. Emitted as it is.
try {
  const { theme, side, font, width } = JSON.parse(localStorage.getItem('ubp') || '{}');
  const root = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') root.theme = theme;
  if (side === false) root.side = 'closed';
  if (font === 'serif' || font === 'mono') root.font = font;
  if (width === 'narrow' || width === 'wide' || width === 'full') root.width = width;
} catch {
  // Storage may be forbidden, or hold something else: the defaults are right then.
}
try {
  if (JSON.parse(document.getElementById('ubp-site').textContent).mode === 'server') document.documentElement.dataset.mode = 'server';
} catch {
  // A page without a description keeps the frame for reading.
}
// Modules cannot be loaded from a disk, so such a page stays as it was written.
if (location.protocol === 'file:') document.documentElement.dataset.still = '';
