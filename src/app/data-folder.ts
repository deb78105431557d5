import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '../config/config-error.js';
import { textOfError } from '../journal/model/error.js';

/** The folder of a service's stored data. */
export interface DataFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Returns the configured folder, or a temporary folder that is removed at the end, also after a
 * failed start. A service that stores nothing has no folder.
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

/**
 * Creates a folder, or accepts an empty one. Throws a ConfigError when it is not empty, or cannot
 * be created or written.
 */
export function makeEmptyFolder(place: string): void {
  let found = 'it is not empty';
  try {
    mkdirSync(place, { recursive: true });
    accessSync(place, constants.W_OK | constants.X_OK);
    if (readdirSync(place).length === 0) return;
  } catch (error) {
    found = textOfError(error);
  }
  const message = `${place}: must be a new folder, or an empty one: ${found}`;
  throw new ConfigError('INVALID_SETTING', message, 'DIR');
}
