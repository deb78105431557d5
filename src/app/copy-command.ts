/** `slotbook copy-history FILE`: moves the file of a history into the database of `--history-url`. */
import { statSync } from 'node:fs';
import { ConfigReader } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import type { Flags } from '../config/setting-reader.js';
import { systemTimers } from '../rpc/timers.js';
import { RunProgress } from './progress.js';

/**
 * Copies the history completely or not at all, and prints the counts; no service may have the file
 * open.
 */
export async function copyHistory(
  file: string,
  flags: Flags,
  output: { write(text: string): void },
): Promise<boolean> {
  const url = new ConfigReader(flags).readHistoryUrl();
  requireFile(file);
  // The Postgres client is loaded on demand.
  const { copyFile } = await import('../history/postgres/copy-file.js');
  const startedAtMs = systemTimers.nowMs();
  const progress = new RunProgress();
  const { rows, records } = await copyFile({
    file,
    url,
    onRows: (done, all) => progress.show({ share: done / Math.max(1, all), done, unit: 'rows' }),
  }).finally(() => progress.clear());
  const seconds = (systemTimers.nowMs() - startedAtMs) / 1_000;
  const rate = Math.round(records / seconds);
  output.write(
    `copied ${rows} rows in ${seconds.toFixed(1)} s, ${records} records among them (${rate} a second)\n`,
  );
  return true;
}

/** Opening would make a missing file, and a copy of an empty history would look like a success. */
function requireFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) return;
  const message = `FILE was ${file}, must be the file of a history, GENESIS_HASH.db`;
  throw new ConfigError('INVALID_SETTING', message, 'FILE');
}
