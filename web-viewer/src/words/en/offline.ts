// The page that is shown when an address cannot be reached. The service worker makes it, without the rest of the app.
export const offline = {
  title: 'You are offline',
  notKept: 'This page is not on this device. Pages that you opened before can be read without a connection.',
  kept: 'Pages on this device',
  notRunning: 'The server is not running',
  start: 'Start `ubp viewer` again. This page then opens by itself.',
  again: 'Try again',
};
