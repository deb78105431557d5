/** Values that the browser keeps; without storage, they last until the tab is closed. */

/** Returns a stored text; null without one. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text. */
export function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser may forbid storage.
  }
}
