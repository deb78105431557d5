import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '../config/config-error.js';
import { textOfError } from '../journal/model/error.js';

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

/** Makes a folder that is not there yet, or is empty. Throws a ConfigError where it is neither, or cannot be made or written to. */
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
