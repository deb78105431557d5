/** `slotbook copy-history FILE`: moves the file of a history into the database of `--history-url`. */
import { ConfigReader } from '../config/config.js';
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
  // The Postgres client is loaded on demand.
  const { copyFile } = await import('../history/postgres/copy-file.js');
  const startedAtMs = systemTimers.nowMs();
  const progress = new RunProgress();
  const { rows } = await copyFile({
    file,
    url,
    onRows: (done, all) => progress.show({ share: done / Math.max(1, all), done, unit: 'rows' }),
  }).finally(() => progress.clear());
  const seconds = (systemTimers.nowMs() - startedAtMs) / 1_000;
  const trades = rows.get('trades') ?? 0;
  const all = [...rows.values()].reduce((a, b) => a + b, 0);
  const rate = Math.round(trades / seconds);
  output.write(
    `copied ${all} rows in ${seconds.toFixed(1)} s, ${trades} trades among them (${rate} a second)\n`,
  );
  return true;
}
