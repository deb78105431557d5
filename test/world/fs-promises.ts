/** Stands in for `node:fs/promises`: the real calls, during which time stands still. */
import * as real from 'node:fs/promises';
import { standStill, still } from '../simulation/real-work.js';

const { open: openReal, ...others } = real;

export const open: typeof real.open = async (...given) =>
  still(await standStill(openReal(...given)));

export const { access, appendFile, copyFile, mkdir, mkdtemp, readdir, readFile } = still(others);
export const { rename, rm, stat, truncate, unlink, writeFile } = still(others);
