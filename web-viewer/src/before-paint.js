// Runs before the first paint, so that a chosen theme and a closed page list do not flash. Emitted as it is.
try {
  const { theme, side } = JSON.parse(localStorage.getItem('ubp') || '{}');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (side === false) document.documentElement.dataset.side = 'closed';
} catch {
  // Storage may be forbidden, or hold something else: the defaults are right then.
}
// Modules cannot be loaded from a disk, so such a page stays as it was written.
if (location.protocol === 'file:') document.documentElement.dataset.still = '';
