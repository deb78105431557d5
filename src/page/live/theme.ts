/** The light or dark theme: the system's preference until the reader chooses. */

import { readStored, writeStored } from './stored.js';

/** The two themes. */
export type Theme = 'light' | 'dark';

const KEY = 'slotbook-theme';
const darkPreference = matchMedia('(prefers-color-scheme: dark)');

/** The current theme. */
export function currentTheme(): Theme {
  const chosen = readStored(KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return darkPreference.matches ? 'dark' : 'light';
}

/** Applies a theme, and stores it when it differs from the system's. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

/** Stores the choice of a theme. */
export function chooseTheme(theme: Theme): void {
  writeStored(KEY, theme);
  applyTheme(theme);
}

/** Calls when the system's preference changes. */
export function watchTheme(onChange: (theme: Theme) => void): () => void {
  const listener = (): void => onChange(currentTheme());
  darkPreference.addEventListener('change', listener);
  return () => darkPreference.removeEventListener('change', listener);
}
