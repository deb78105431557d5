/** `slotbook export`: a part of a journal as a file that other tools load. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConfigError } from '../config/config-error.js';
import { parseMoment } from '../config/journal-moment.js';
import { type ExportedBook, type LevelRow, readLevelRows } from '../journal/export-book.js';
import { splitRuns } from '../journal/store/listing.js';
import { readSegments } from '../journal/store/segment-index.js';
import type { SegmentInfo } from '../journal/store/segment-info.js';
import { journalFolder } from './journal-origin.js';

/** The flags of `export`. */
export interface ExportFlags {
  readonly market?: string;
  readonly format?: string;
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
}

const FORMATS = ['tardis-csv', 'jsonl'];
const CSV_HEAD = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n';
/** Text that is written at once. */
const WRITE_CHARS = 262_144;

/**
 * Writes the level updates of a market. The file has its name when it is whole: a run that is stopped or fails leaves none.
 * Returns whether it was not stopped. Throws a ConfigError.
 */
export async function exportBook(
  place: string,
  flags: ExportFlags,
  stop: AbortSignal,
): Promise<boolean> {
  const { market, name, format, fromMs, toMs } = readFlags(flags);
  const file = new WholeFile(name, format === 'jsonl' ? '' : CSV_HEAD);
  const textOf = format === 'jsonl' ? jsonText : (row: LevelRow) => csvText(row, market);
  try {
    for (const rows of readRuns(journalFolder(place), { market, fromMs, toMs })) {
      if (file.write(rows.map(textOf).join(''))) await nextTurn();
      if (stop.aborted) return false;
    }
    if (file.isEmpty) {
      throw invalid('--market', market, 'must be a market of the journal in this time');
    }
    file.finish();
    return true;
  } finally {
    file.close();
  }
}

type ExportedTime = Pick<ExportedBook, 'market' | 'fromMs' | 'toMs'>;

function readFlags(
  flags: ExportFlags,
): ExportedTime & { readonly name: string; readonly format: string } {
  const { format = 'tardis-csv', from, to } = flags;
  const market = flags.market?.toUpperCase() ?? '';
  if (!FORMATS.includes(format)) {
    throw invalid('--format', format, `must be one of ${FORMATS.join(', ')}`);
  }
  const [fromMs, toMs] = [timeOf('--from', from, 0), timeOf('--to', to, Infinity)];
  const name = flags.out ?? `${market}.${format.split('-').at(-1)}`;
  return { market, name, format, fromMs, toMs };
}

function* readRuns(folder: string, book: ExportedTime): Generator<readonly LevelRow[]> {
  for (const run of splitRuns(readSegments(folder, null).segments)) {
    yield* readLevelRows({
      ...book,
      folder,
      segments: segmentsWithin(run, book.fromMs, book.toMs),
    });
  }
}

/** A file that gets its name when it is whole. */
class WholeFile {
  readonly #name: string;
  readonly #file: number;
  #text: string;
  isEmpty = true;

  constructor(name: string, head: string) {
    this.#name = name;
    this.#text = head;
    this.#file = openSync(`${name}.part`, 'w');
  }

  /** Returns whether the text went to the disk. */
  write(text: string): boolean {
    this.isEmpty = false;
    this.#text += text;
    if (this.#text.length < WRITE_CHARS) return false;
    this.#flush();
    return true;
  }

  finish(): void {
    this.#flush();
    renameSync(`${this.#name}.part`, this.#name);
  }

  /** Removes what is not whole. */
  close(): void {
    closeSync(this.#file);
    rmSync(`${this.#name}.part`, { force: true });
  }

  #flush(): void {
    writeSync(this.#file, this.#text);
    this.#text = '';
  }
}

/** The segments from the last one that begins before a time. */
function segmentsWithin(
  run: readonly SegmentInfo[],
  fromMs: number,
  toMs: number,
): readonly SegmentInfo[] {
  const before = run.findLastIndex(({ first }) => first.ts <= fromMs);
  const isOver = (run.at(-1)?.last.ts ?? 0) < fromMs;
  return isOver ? [] : run.slice(Math.max(before, 0)).filter(({ first }) => first.ts <= toMs);
}

function csvText({ ts, isSnapshot, side, price, amount }: LevelRow, symbol: string): string {
  return `slotbook,${symbol},${ts}000,${ts}000,${isSnapshot},${side},${price},${amount}\n`;
}

function jsonText(row: LevelRow): string {
  return `${JSON.stringify(row)}\n`;
}

function timeOf(flag: string, text: string | undefined, absent: number): number {
  if (text === undefined) return absent;
  const moment = parseMoment(text);
  if ('tsMs' in moment) return moment.tsMs;
  throw invalid(flag, text, 'must be unix milliseconds or a time such as 2026-11-01T12:00Z');
}

function invalid(flag: string, value: string, rule: string): ConfigError {
  return new ConfigError('INVALID_SETTING', `${flag} was ${value}, ${rule}`, flag);
}
