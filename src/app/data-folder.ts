import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The folder of what a service stores. */
export interface DataFolder {
  readonly path: string;
  /** Removes it if it is only of this run. */
  remove(): Promise<void>;
}

/**
 * The folder that is named, or a fresh one that is removed in the end, also when the start fails. None is made for a
 * service that stores nothing.
 */
export function dataFolder(
  settings: { readonly dataDir: string | undefined } | undefined,
): DataFolder {
  const { dataDir } = settings ?? { dataDir: '' };
  if (dataDir !== undefined) return { path: dataDir, remove: async () => undefined };
  const fresh = mkdtempSync(path.join(tmpdir(), 'slotbook-'));
  const options = { recursive: true, force: true };
  const removeNow = (): void => rmSync(fresh, options);
  process.once('exit', removeNow);
  const remove = async (): Promise<void> => {
    await rm(fresh, options);
    process.off('exit', removeNow);
  };
  return { path: fresh, remove };
}
