import { statSync } from 'node:fs';

/** What makes a file different from all others of the machine; null where there is none, or it cannot be read. */
export function identityOf(file: string): string | null {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev}:${found.ino}`;
  } catch {
    return null;
  }
}
