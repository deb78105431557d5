/** `slotbook backfill`: parses both ends of the range, and shows progress. */

import { ConfigReader } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import type { Flags } from '../config/setting-reader.js';
import { findTimeMs } from '../config/time-text.js';
import { type BackfillProgress, backfill } from '../history/backfill.js';
import type { JobEnd } from '../history/backfill-job.js';
import { systemTimers } from '../rpc/timers.js';
import { RunProgress } from './progress.js';

/** Base58 of the 64 bytes of a signature. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Reads the range that the flags name; resolves with true when all of it is stored. */
export async function runBackfill(
  flags: Flags,
  {
    output,
    stop,
  }: { readonly output: { write(text: string): unknown }; readonly stop: AbortSignal },
): Promise<boolean> {
  const config = new ConfigReader({ ...flags, history: true }).readService();
  const { nodes, programId, program, history } = config;
  const from = readEnd('from', flags['from']);
  if (from === null) throw new ConfigError('MISSING_SETTING', '--from is missing', '--from');
  const to = readEnd('to', flags['to']);
  if (to !== null && 'ts' in to && 'ts' in from && to.ts < from.ts) {
    const message = `--to was ${flags['to']}, must not be before --from`;
    throw new ConfigError('INVALID_SETTING', message, '--to');
  }
  if (history?.dataDir === undefined) {
    throw new ConfigError('MISSING_SETTING', '--data-dir is missing', '--data-dir');
  }
  const { dataDir, database, requestsPerSecond } = history;
  const progress = new RunProgress();
  const options = { nodes, programId, program, dataDir, database, requestsPerSecond, from, to };
  try {
    const last = await backfill({
      ...options,
      timers: systemTimers,
      onProgress: (step) =>
        progress.show({
          share: step.share,
          done: step.signatures,
          unit: 'signatures',
          detail: detailOf(step),
        }),
      signal: stop,
    });
    progress.clear();
    output.write(resultText(last));
    return true;
  } catch (error) {
    progress.clear();
    if (!stop.aborted) throw error;
    output.write('stopped: the same command goes on from here\n');
    return false;
  }
}

/** Parses a signature, unix seconds, or a time such as 2026-11-01 or 2026-11-01T12:00:00Z. */
function readEnd(key: 'from' | 'to', value: Flags[string]): JobEnd | null {
  if (typeof value !== 'string' || value === '') return null;
  if (SIGNATURE.test(value)) return { signature: value };
  const ms = /^\d{1,12}$/.test(value) ? Number(value) * 1_000 : findTimeMs(value);
  if (ms !== null) return { ts: Math.floor(ms / 1_000) };
  const rule = 'must be a signature, a time such as 2026-11-01T12:00Z, or unix seconds';
  throw new ConfigError(
    'INVALID_SETTING',
    `--${key} was ${value.slice(0, 64)}, ${rule}`,
    `--${key}`,
  );
}

/** Returns the result: counts, and the transactions that no node gives. */
function resultText({ signatures, trades, unavailable }: BackfillProgress): string {
  const done = `done: ${signatures} signatures read, ${trades} trades stored\n`;
  if (unavailable.length === 0) return done;
  const list = unavailable.map((signature) => `  ${signature}\n`).join('');
  return `${done}${unavailable.length} transactions are unavailable, no node gives them:\n${list}`;
}

function detailOf({ trades, oldestTs, retryReason }: BackfillProgress): string {
  const at = oldestTs === null ? '' : `, back to ${new Date(oldestTs * 1_000).toISOString()}`;
  const wait = retryReason === null ? '' : ` (waits: ${retryReason})`;
  return `${trades} trades stored${at}${wait}`;
}
