/** Light or dark: what the system prefers, until the reader chooses. */

/** The two themes. */
export type Theme = 'light' | 'dark';

const KEY = 'slotbook-theme';
const darkPreference = matchMedia('(prefers-color-scheme: dark)');

/** The theme that is shown now. */
export function currentTheme(): Theme {
  const chosen = readChoice();
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return darkPreference.matches ? 'dark' : 'light';
}

/** Shows a theme; one that is not that of the system is remembered. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

/** Remembers the choice of a theme. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser that stores nothing forgets it with the tab.
  }
  applyTheme(theme);
}

/** Calls when the system prefers another theme. */
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
