/** `slotbook backfill`: parses both ends of the range, and shows progress. */

import { ConfigReader } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import type { Flags } from '../config/setting-reader.js';
import { findTimeMs } from '../config/time-text.js';
import { type BackfillProgress, backfill } from '../history/backfill.js';
import type { JobEnd } from '../history/backfill-job.js';
import { systemTimers } from '../rpc/timers.js';

/** Base58 of the 64 bytes of a signature. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const BAR_CHARS = 30;
/** Interval of lines without a terminal. */
const LINE_MS = 5_000;

/** The output of progress. */
interface BackfillOutput {
  readonly isTTY?: boolean;
  write(text: string): void;
}

/** Reads the range that the flags name; resolves with true when all of it is stored. */
export async function runBackfill(
  flags: Flags,
  { output, stop }: { readonly output: BackfillOutput; readonly stop: AbortSignal },
): Promise<boolean> {
  const config = new ConfigReader({ ...flags, history: true }).readService();
  const { nodes, programId, program, history } = config;
  const from = readEnd('from', flags['from']);
  if (from === null) throw new ConfigError('MISSING_SETTING', '--from is missing', '--from');
  const to = readEnd('to', flags['to']);
  if (history?.dataDir === undefined) {
    throw new ConfigError('MISSING_SETTING', '--data-dir is missing', '--data-dir');
  }
  const { dataDir, database, requestsPerSecond } = history;
  const screen = new BackfillScreen(output);
  const options = { nodes, programId, program, dataDir, database, requestsPerSecond, from, to };
  try {
    const last = await backfill({
      ...options,
      timers: systemTimers,
      onProgress: (progress) => screen.show(progress),
      signal: stop,
    });
    screen.end(last);
    return true;
  } catch (error) {
    if (!stop.aborted) throw error;
    output.write('\nstopped: the same command goes on from here\n');
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

/**
 * The progress display: one line that is overwritten, or a line at an interval without a terminal.
 */
class BackfillScreen {
  readonly #output: BackfillOutput;
  #writtenAtMs = Number.NEGATIVE_INFINITY;

  constructor(output: BackfillOutput) {
    this.#output = output;
  }

  show(progress: BackfillProgress): void {
    if (this.#output.isTTY === true) {
      this.#output.write(`\r\x1b[K${drawBar(progress.share)} ${textOf(progress)}`);
      return;
    }
    if (systemTimers.nowMs() - this.#writtenAtMs < LINE_MS) return;
    this.#writtenAtMs = systemTimers.nowMs();
    this.#output.write(`${percentText(progress.share)} ${textOf(progress)}\n`);
  }

  end({ signatures, trades, unavailable }: BackfillProgress): void {
    const lead = this.#output.isTTY === true ? '\r\x1b[K' : '';
    this.#output.write(`${lead}done: ${signatures} signatures read, ${trades} trades stored\n`);
    if (unavailable.length === 0) return;
    const list = unavailable.map((signature) => `  ${signature}\n`).join('');
    this.#output.write(
      `${unavailable.length} transactions are unavailable, no node gives them:\n${list}`,
    );
  }
}

function drawBar(share: number): string {
  const full = Math.round(share * BAR_CHARS);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CHARS - full)}] ${percentText(share)}`;
}

function percentText(share: number): string {
  return `${Math.floor(share * 100)} %`.padStart(5);
}

function textOf({ signatures, trades, oldestTs, retryReason }: BackfillProgress): string {
  const at = oldestTs === null ? '' : `, back to ${new Date(oldestTs * 1_000).toISOString()}`;
  const wait = retryReason === null ? '' : ` (waits: ${retryReason})`;
  return `${signatures} signatures, ${trades} trades stored${at}${wait}`;
}
