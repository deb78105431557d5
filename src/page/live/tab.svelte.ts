/** The tab of the browser: its theme, and whether a reader sees it. */
import { readStored, writeStored } from './stored.js';

/** The two themes. */
export type Theme = 'light' | 'dark';

const KEY = 'slotbook-theme';
const darkPreference = matchMedia('(prefers-color-scheme: dark)');
/** The theme in the opening URL, which an embedding page sets. */
const named = new URLSearchParams(location.search).get('theme');

/** The theme of the URL, else the reader's choice, else the system's preference. */
function readTheme(): Theme {
  const chosen = [named, readStored(KEY)].find((one) => one === 'light' || one === 'dark');
  return (chosen as Theme | undefined) ?? (darkPreference.matches ? 'dark' : 'light');
}

/** The current values. A hidden tab follows and computes nothing. */
export const tab = $state({
  theme: readTheme(),
  isVisible: document.visibilityState === 'visible',
});

function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  tab.theme = theme;
}
showTheme(readTheme());
darkPreference.addEventListener('change', () => showTheme(readTheme()));
document.addEventListener('visibilitychange', () => {
  tab.isVisible = document.visibilityState === 'visible';
});

/** Shows and stores the other theme. */
export function switchTheme(): void {
  const next = tab.theme === 'dark' ? 'light' : 'dark';
  writeStored(KEY, next);
  showTheme(next);
}
