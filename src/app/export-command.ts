/** `slotbook export`: writes a range of a journal, or of the history, to a file for other tools. */
import { ConfigError } from '../config/config-error.js';
import { findMoment } from '../config/journal-moment.js';
import { resultText } from '../contract/command-result.js';
import type { RowBlock } from '../contract/row-block.js';
import { jsonLines } from '../export/json-lines.js';
import { ParquetEncoder } from '../export/parquet.js';
import { PipeOutput } from '../export/pipe-output.js';
import type { RowEncoder } from '../export/row-format.js';
import { tardisCsv } from '../export/tardis-csv.js';
import { type RowOutput, WholeFile } from '../export/whole-file.js';
import { writeRows } from '../export/write-rows.js';
import { readTradeRows } from '../history/export-trades.js';
import { type ExportedBook, readBookRows } from '../journal/export-rows.js';
import { holeText, type ReplayHole } from '../journal/replay-hole.js';
import { splitRuns } from '../journal/store/listing.js';
import { readSegments } from '../journal/store/segment-index.js';
import type { SegmentInfo } from '../journal/store/segment-info.js';
import { systemTimers } from '../rpc/timers.js';
import { findTrades, marketOfJournal } from './exported-trades.js';
import { existingFolder } from './journal-origin.js';
import { RunProgress } from './progress.js';

/** The flags of `export`. */
export interface ExportFlags {
  readonly market?: string;
  readonly channel?: string;
  readonly format?: string;
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
  readonly json?: true;
}

/** The formats of each channel; the first is the default. */
const FORMATS = {
  book: ['tardis-csv', 'parquet', 'jsonl'],
  trades: ['tardis-csv', 'parquet', 'jsonl'],
  orders: ['parquet', 'jsonl'],
} as const;

type ExportChannel = keyof typeof FORMATS;

/** The time range of the flags. */
interface AskedTimes {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The requested range. */
type Asked = Pick<ExportedBook, 'market' | 'fromMs' | 'toMs'> & {
  readonly channel: ExportChannel;
  readonly file: string;
  readonly encoder: RowEncoder;
  readonly times: AskedTimes;
};

/** Later than any row. */
const TIME_MAX = Number.MAX_SAFE_INTEGER;

/** The file name for standard output. */
const STANDARD_OUTPUT = '-';

/**
 * Writes the rows of a market. The file gets its name when it is complete, so a stopped or failed
 * run leaves no file. Returns whether the run was completed. Throws a ConfigError.
 */
export async function exportRows(
  place: string,
  flags: ExportFlags,
  stop: AbortSignal,
): Promise<boolean> {
  const asked = readFlags(flags);
  const { encoder, file } = asked;
  const counted = new ExportedRows(file);
  const blocks =
    asked.channel === 'trades' ? readTrades(place, asked) : readBook(place, asked, counted);
  const end = await writeRows({
    blocks: counted.follow(blocks),
    encoder,
    output: outputOf(file),
    timers: systemTimers,
    stop,
  });
  if (end === 'empty') throw emptyError(asked);
  if (end === 'written') counted.printEnd(flags.json === true);
  return end === 'written';
}

/** Blames the time where there is one, and else the market. */
function emptyError({ market, times }: Asked): ConfigError {
  const isPart = times.from !== undefined || times.to !== undefined;
  if (isPart) return timeError(times, `must be a time in which the book of ${market} has orders`);
  return invalid('--market', market, 'must be a market with a book that is not empty always');
}

/** Counts the rows of an export, and shows how far it is. */
class ExportedRows {
  readonly #file: string;
  readonly #progress = new RunProgress();
  /** The times of the rows, unix milliseconds; null until the first and the last are known. */
  range: { readonly fromMs: number; readonly toMs: number } | null = null;
  #rows = 0;
  #tsMs = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Passes blocks on. */
  async *follow(
    blocks: AsyncIterable<RowBlock | null> | Iterable<RowBlock | null>,
  ): AsyncGenerator<RowBlock | null> {
    for await (const block of blocks) {
      yield block;
      const ts = block?.columns.find(({ name }) => name === 'ts')?.values.at(-1);
      if (block !== null) this.#rows += block.count;
      if (ts !== undefined) this.#tsMs = Number(ts);
      const detail = `up to ${new Date(this.#tsMs).toISOString()}`;
      this.#progress.show({ share: this.#doneShare, done: this.#rows, unit: 'rows', detail });
    }
  }

  get #doneShare(): number | null {
    if (this.range === null || this.#rows === 0) return null;
    const { fromMs, toMs } = this.range;
    return Math.min(1, Math.max(0, (this.#tsMs - fromMs) / Math.max(1, toMs - fromMs)));
  }

  /** Prints the end to standard error; JSON to standard output, unless that has the rows. */
  printEnd(isJson: boolean): void {
    this.#progress.clear();
    const upTo = new Date(this.#tsMs).toISOString();
    const place = this.#file === STANDARD_OUTPUT ? 'standard output' : this.#file;
    const line = `${this.#rows} rows up to ${upTo} written to ${place}`;
    const body = { rows: this.#rows, upToTs: this.#tsMs, file: this.#file };
    const isOnOutput = isJson && this.#file !== STANDARD_OUTPUT;
    const output = isOnOutput ? process.stdout : process.stderr;
    output.write(resultText({ lines: [line], body }, isJson));
  }
}

function outputOf(file: string): RowOutput {
  return file === STANDARD_OUTPUT ? new PipeOutput(process.stdout) : new WholeFile(file);
}

function readFlags(flags: ExportFlags): Asked {
  const channel = oneOf(
    '--channel',
    flags.channel ?? 'book',
    Object.keys(FORMATS),
  ) as ExportChannel;
  const format = formatOf(channel, flags.format);
  const market = flags.market?.toUpperCase() ?? '';
  const fromMs = timeOf('--from', flags.from, 0);
  const toMs = timeOf('--to', flags.to, TIME_MAX);
  if (toMs < fromMs) throw invalid('--to', flags.to ?? '', 'must not be before --from');
  const name = market.replace(/[^\w.-]/g, '_');
  const file =
    flags.out || `${name}${channel === 'book' ? '' : `.${channel}`}.${format.split('-').at(-1)}`;
  const encoder = encoderOf(format, channel, market);
  const times = { from: flags.from, to: flags.to };
  return { market, channel, fromMs, toMs, file, encoder, times };
}

function encoderOf(format: string, channel: ExportChannel, market: string): RowEncoder {
  if (format === 'parquet') return new ParquetEncoder();
  if (format === 'jsonl') return jsonLines();
  return tardisCsv(channel === 'trades' ? 'trades' : 'book', market);
}

async function* readTrades(place: string, asked: Asked): AsyncGenerator<RowBlock> {
  const { market, times } = asked;
  const file = { ...findTrades(place, market), timers: systemTimers };
  const stored = { ...file, fromMs: 0, toMs: TIME_MAX };
  let isEmpty = true;
  for await (const block of readTradeRows({ ...stored, fromMs: asked.fromMs, toMs: asked.toMs })) {
    isEmpty = false;
    yield block;
  }
  if (!isEmpty) return;
  for await (const _ of readTradeRows(stored)) {
    throw timeError(times, `must be a time with trades of ${market}`);
  }
  throw invalid('--market', market, 'must be a market with trades');
}

function* readBook(place: string, asked: Asked, counted: ExportedRows): Generator<RowBlock | null> {
  const { market, fromMs, toMs, times } = asked;
  const channel: ExportedBook['channel'] = asked.channel === 'orders' ? 'orders' : 'book';
  const folder = existingFolder(place, 'DIR');
  const runs = splitRuns(readSegments(folder, null).segments);
  if (runs.length === 0) throw invalid('DIR', place, 'must be a folder with a journal');
  const segments = runs.flatMap((run) => segmentsFrom(run, fromMs));
  if (!segments.some(({ first }) => first.ts <= toMs)) {
    throw timeError(times, `must be a time of the journal, which has ${keptText(runs)}`);
  }
  counted.range = {
    fromMs: Math.max(fromMs, segments[0]?.first.ts ?? 0),
    toMs: Math.min(toMs, segments.at(-1)?.last.ts ?? 0),
  };
  const part = { folder, segments, market: keyOf(folder, market), channel, fromMs, toMs };
  const hasMarket = yield* readBookRows({ ...part, onHole: printHole });
  if (!hasMarket) throw invalid('--market', market, 'must be a market of the journal in this time');
}

/** A name is that of one market in all parts of the journal, also where another one had it then. */
function keyOf(folder: string, name: string): string {
  const found = marketOfJournal(folder, name);
  return found === undefined ? name : `${found.marketType}_${found.marketIndex}`;
}

/** Returns an error that names the given time flag, if there is one. */
function timeError({ from, to }: AskedTimes, rule: string): ConfigError {
  const flags = Object.entries({ '--from': from, '--to': to }).filter(([, text]) => text);
  const was = flags.map(([flag, text]) => `${flag} was ${text}`).join(' and ');
  return new ConfigError('INVALID_SETTING', `${was}, ${rule}`, flags[0]?.[0] ?? '--from');
}

/** Returns the time range of the stored data as text. */
function keptText(runs: readonly (readonly SegmentInfo[])[]): string {
  const first = runs[0]?.[0]?.first.ts ?? 0;
  const last = runs.at(-1)?.at(-1)?.last.ts ?? 0;
  const [from, to] = [first, last].map((ts) => new Date(ts).toISOString());
  return `${from} to ${to}${runs.length > 1 ? ', with gaps' : ''}`;
}

function printHole(hole: ReplayHole): void {
  process.stderr.write(`${holeText(hole)}\n`);
}

/** Returns the segments from the last one that begins at or before a time. */
function segmentsFrom(run: readonly SegmentInfo[], fromMs: number): readonly SegmentInfo[] {
  const before = run.findLastIndex(({ first }) => first.ts <= fromMs);
  const isOver = (run.at(-1)?.last.ts ?? 0) < fromMs;
  return isOver ? [] : run.slice(Math.max(before, 0));
}

function formatOf(channel: ExportChannel, text: string | undefined): string {
  const formats: readonly string[] = FORMATS[channel];
  const rule = formats.join(', ') + (channel === 'book' ? '' : ` for --channel ${channel}`);
  const format = text ?? formats[0] ?? '';
  if (formats.includes(format)) return format;
  throw invalid('--format', format, `must be one of ${rule}`);
}

function oneOf(flag: string, value: string, values: readonly string[]): string {
  if (values.includes(value)) return value;
  throw invalid(flag, value, `must be one of ${values.join(', ')}`);
}

function timeOf(flag: string, text: string | undefined, absent: number): number {
  if (text === undefined) return absent;
  const moment = findMoment(text);
  if (moment !== null && 'tsMs' in moment) return moment.tsMs;
  throw invalid(flag, text, 'must be unix milliseconds or a time such as 2026-11-01T12:00Z');
}

function invalid(flag: string, value: string, rule: string): ConfigError {
  return new ConfigError('INVALID_SETTING', `${flag} was ${value}, ${rule}`, flag);
}
