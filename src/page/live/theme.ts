/** Light or dark: the system's preference, until the reader chooses. */

/** The two themes. */
export type Theme = 'light' | 'dark';

const KEY = 'slotbook-theme';
const darkPreference = matchMedia('(prefers-color-scheme: dark)');

/** The current theme. */
export function currentTheme(): Theme {
  const chosen = readChoice();
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return darkPreference.matches ? 'dark' : 'light';
}

/** Applies a theme; a theme other than the system's is stored. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

/** Stores the choice of a theme. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice ends with the tab.
  }
  applyTheme(theme);
}

/** Calls when the system's preference changes. */
export function watchTheme(onChange: (theme: Theme) => void): () => void {
  const listener = (): void => onChange(currentTheme());
  darkPreference.addEventListener('change', listener);
  return () => darkPreference.removeEventListener('change', listener);
}

function readChoice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
