/**
 * The summary of an ended segment, in a file of its own: `000000000042.summary`. It has, by market, one
 * row of JSON for each sampled moment. The first line is the index; compressed rows follow, those of
 * a market in one piece for each step, so that a reader of a long time unpacks few rows.
 */
import { closeSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SUMMARY_INDEX_BYTES_MAX, SUMMARY_STEPS_MS } from '../model/limits.js';

/** A market at a sampled moment. */
export interface SummaryRow {
  /** Unix milliseconds, a multiple of the shortest step. */
  readonly ts: number;
  /** A JSON object. */
  readonly text: string;
}

/** The rows of each market, by its name in every epoch, the oldest first. */
export type SummaryRows = ReadonlyMap<string, readonly SummaryRow[]>;

/** Offset after the index, and length, in bytes. */
type PiecePlace = readonly [number, number];

/** Version of the format. */
const VERSION = 1;

interface SummaryIndex {
  readonly version: number;
  /** PiecePlace of the rows of each step, by market. */
  readonly markets: Readonly<Record<string, readonly PiecePlace[]>>;
}

/** Returns the path of the summary of a segment. */
export function summaryPath(folder: string, number: number): string {
  return path.join(folder, `${String(number).padStart(12, '0')}.summary`);
}

/** Writes the summary of a segment. Throws the file system's error. */
export function writeSummary(folder: string, number: number, rows: SummaryRows): void {
  const pieces: Buffer[] = [];
  const markets: Record<string, PiecePlace[]> = {};
  let end = 0;
  for (const [market, all] of rows) {
    markets[market] = SUMMARY_STEPS_MS.map((step) => {
      const lines = all.filter(({ ts }) => ts % step === 0).map(({ ts, text }) => `${ts} ${text}`);
      const piece = deflateRawSync(lines.join('\n'));
      pieces.push(piece);
      end += piece.length;
      return [end - piece.length, piece.length];
    });
  }
  const index = JSON.stringify({ version: VERSION, markets } satisfies SummaryIndex);
  const file = summaryPath(folder, number);
  // A reader sees a whole file or none.
  writeFileSync(`${file}.part`, Buffer.concat([Buffer.from(`${index}\n`), ...pieces]));
  renameSync(`${file}.part`, file);
}

/**
 * Reads the rows of one market at multiples of a step; undefined where there is no readable
 * summary.
 */
export function readSummary(
  place: { readonly folder: string; readonly number: number },
  { market, stepMs }: { readonly market: string; readonly stepMs: number },
): readonly SummaryRow[] | undefined {
  try {
    const file = openSync(summaryPath(place.folder, place.number), 'r');
    try {
      return readRows(file, market, stepMs);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function readRows(file: number, market: string, stepMs: number): readonly SummaryRow[] | undefined {
  const head = Buffer.allocUnsafe(SUMMARY_INDEX_BYTES_MAX);
  const start = head.subarray(0, readSync(file, head, 0, head.length, 0));
  const end = start.indexOf('\n');
  const { version, markets } = JSON.parse(start.toString('utf8', 0, end)) as SummaryIndex;
  if (version !== VERSION) return undefined;
  const longest = SUMMARY_STEPS_MS.findLastIndex((step) => stepMs % step === 0);
  const place = markets[market]?.[longest];
  if (place === undefined) return [];
  const [offset, length] = place;
  const piece = Buffer.allocUnsafe(length);
  readSync(file, piece, 0, length, end + 1 + offset);
  const lines = inflateRawSync(piece).toString().split('\n');
  const rows = lines.filter((line) => line !== '').map(rowOf);
  return rows.filter(({ ts }) => ts % stepMs === 0);
}

function rowOf(line: string): SummaryRow {
  const space = line.indexOf(' ');
  return { ts: Number(line.slice(0, space)), text: line.slice(space + 1) };
}

/** Removes the summary of a deleted segment, if there is one; on a failing disk it may remain. */
export function dropSummary(folder: string, number: number): void {
  try {
    rmSync(summaryPath(folder, number), { force: true });
  } catch {
    // A summary without its segment is never read.
  }
}
