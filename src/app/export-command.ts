/** `slotbook export`: a part of a journal, or of the history, as a file that other tools load. */
import { ConfigError } from '../config/config-error.js';
import { findMoment } from '../config/journal-moment.js';
import type { RowBlock } from '../contract/row-block.js';
import { jsonLines } from '../export/json-lines.js';
import { ParquetEncoder } from '../export/parquet.js';
import { PipeOutput } from '../export/pipe-output.js';
import type { RowEncoder } from '../export/row-format.js';
import { tardisCsv } from '../export/tardis-csv.js';
import { type RowOutput, WholeFile } from '../export/whole-file.js';
import { writeRows } from '../export/write-rows.js';
import { readTradeRows } from '../history/export-trades.js';
import { type ExportedRun, readRunRows } from '../journal/export-rows.js';
import { holeText, type ReplayHole } from '../journal/replay-hole.js';
import { splitRuns } from '../journal/store/listing.js';
import { readSegments } from '../journal/store/segment-index.js';
import type { SegmentInfo } from '../journal/store/segment-info.js';
import { findTrades } from './exported-trades.js';
import { existingFolder } from './journal-origin.js';

/** The flags of `export`. */
export interface ExportFlags {
  readonly market?: string;
  readonly channel?: string;
  readonly format?: string;
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
}

/** The formats of each channel, the default first. */
const FORMATS = {
  book: ['tardis-csv', 'parquet', 'jsonl'],
  trades: ['tardis-csv', 'parquet', 'jsonl'],
  orders: ['parquet', 'jsonl'],
} as const;

type ExportChannel = keyof typeof FORMATS;

/** What is asked for. */
type Asked = Pick<ExportedRun, 'market' | 'fromMs' | 'toMs'> & {
  readonly channel: ExportChannel;
  readonly file: string;
  readonly encoder: RowEncoder;
};

/** The name of a file that is none. */
const STANDARD_OUTPUT = '-';

/**
 * Writes the rows of a market. The file has its name when it is whole: a run that is stopped or fails leaves none.
 * Returns whether it was not stopped. Throws a ConfigError.
 */
export async function exportRows(
  place: string,
  flags: ExportFlags,
  stop: AbortSignal,
): Promise<boolean> {
  const { encoder, file, channel, ...asked } = readFlags(flags);
  const blocks =
    channel === 'trades'
      ? readTradeRows({ ...asked, ...findTrades(place, asked.market) })
      : readRuns(existingFolder(place, 'DIR'), { ...asked, channel });
  const end = await writeRows({ blocks, encoder, output: outputOf(file), stop });
  if (end === 'empty') {
    const of = channel === 'trades' ? 'with trades' : 'of the journal';
    throw invalid('--market', asked.market, `must be a market ${of} in this time`);
  }
  return end === 'written';
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
  const toMs = timeOf('--to', flags.to, Number.MAX_SAFE_INTEGER);
  if (toMs < fromMs) throw invalid('--to', flags.to ?? '', 'must not be before --from');
  const file =
    flags.out ?? `${market}${channel === 'book' ? '' : `.${channel}`}.${format.split('-').at(-1)}`;
  return { market, channel, fromMs, toMs, file, encoder: encoderOf(format, channel, market) };
}

function encoderOf(format: string, channel: ExportChannel, market: string): RowEncoder {
  if (format === 'parquet') return new ParquetEncoder();
  if (format === 'jsonl') return jsonLines();
  return tardisCsv(channel === 'trades' ? 'trades' : 'book', market);
}

function* readRuns(
  folder: string,
  asked: Omit<ExportedRun, 'folder' | 'segments' | 'onHole'>,
): Generator<RowBlock | null> {
  for (const run of splitRuns(readSegments(folder, null).segments)) {
    const segments = segmentsFrom(run, asked.fromMs);
    yield* readRunRows({ ...asked, folder, segments, onHole: printHole });
  }
}

function printHole(hole: ReplayHole): void {
  process.stderr.write(`${holeText(hole)}\n`);
}

/** The segments from the last one that begins before a time. */
function segmentsFrom(run: readonly SegmentInfo[], fromMs: number): readonly SegmentInfo[] {
  const before = run.findLastIndex(({ first }) => first.ts <= fromMs);
  const isOver = (run.at(-1)?.last.ts ?? 0) < fromMs;
  return isOver ? [] : run.slice(Math.max(before, 0));
}

/** The format of a channel: the first of its formats where none is named. */
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
