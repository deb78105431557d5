import { statSync } from 'node:fs';

/** Returns the identity of a file on this machine; null when it is missing or unreadable. */
export function identityOf(file: string): string | null {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev}:${found.ino}`;
  } catch {
    return null;
  }
}
