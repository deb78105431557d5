/** Reads a whole journal and reports its intact ranges. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type {
  JournalListing,
  JournalMoment,
  JournalSkippedFile,
} from '../contract/journal-source.js';
import type { Timers } from '../contract/timers.js';
import { EngineError } from '../engine/errors.js';
import { ANY_PROGRAM, readSegmentHead } from '../engine/journal-reader.js';
import { textOfError } from './model/error.js';
import { SEGMENT_HEAD_BYTES } from './model/limits.js';
import { JournalPlayer, type PlayedSegment } from './store/journal-player.js';
import { listKept, splitRuns } from './store/listing.js';
import { COPY_TEXT, isEndedFile, readSegments } from './store/segment-index.js';
import type { SegmentInfo } from './store/segment-info.js';
import { segmentName, segmentNumber } from './store/segment-name.js';

/** The folder to verify, and the output of the report. */
interface VerifyJournalOptions {
  readonly folder: string;
  readonly print: (line: string) => void;
  readonly timers: Pick<Timers, 'nowMs'>;
  /** Called after each file with the bytes that are read, and all bytes. */
  readonly onBytes?: (read: number, all: number) => void;
}

/** The result of reading a segment. */
interface SegmentReport {
  readonly turns: number;
  readonly updates: number;
  /** The reason for incomplete bytes at the end of the file; null when the file is complete. */
  readonly tear: string | null;
  /**
   * The hashes of all markets at the end of the file; null when it could not be read to the end.
   */
  readonly hashes: string | null;
  /** The hashes of all markets at the file's checkpoint; null before the checkpoint was read. */
  readonly begins: string | null;
  /** The reason why the file was not read to its end; null when it was. */
  readonly damage: string | null;
}

/**
 * Reads every segment separately, with all checksums and hashes, and compares its end with the
 * checkpoint of the next segment. Prints ranges, gaps and damaged places; returns whether there is
 * no damage. A file without a successor may be truncated by a kill or a power loss. Throws the file
 * system's error for the folder.
 */
export function verifyJournal(options: VerifyJournalOptions): boolean {
  const { folder, print, timers, onBytes = () => undefined } = options;
  const startMs = timers.nowMs();
  const { segments, skipped } = readSegments(folder, null);
  printListing(listKept(segments, skipped), print);
  const all = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  const check = new JournalCheck(folder, print, (read) => onBytes(read, all));
  for (const file of skipped) check.readSkipped(file);
  for (const run of splitRuns(segments)) check.readRun(run);
  const seconds = Math.max((timers.nowMs() - startMs) / 1_000, 0.001);
  const counted = `${check.counted()}, ${Math.round(check.updates / seconds)} updates/s`;
  const { damages, torn } = check;
  const whole = torn === 0 ? 'sound' : `sound up to ${torn} torn ends`;
  print(damages === 0 ? `${whole}: ${counted}` : `damaged: ${damages} places; ${counted}`);
  return damages === 0;
}

function printListing({ ranges, gaps }: JournalListing, print: (line: string) => void): void {
  for (const { first, last, segments, bytes, epoch } of ranges) {
    const moments = `${momentText(first)} to ${momentText(last)}`;
    print(`range: ${moments}, ${segments} files, ${bytes} bytes, epoch ${epoch}`);
  }
  for (const { from, to, reason } of gaps) {
    print(`gap: ${momentText(from)} to ${momentText(to)}, ${reason}`);
  }
}

/** Reads the epochs of a journal and counts their contents. */
class JournalCheck {
  updates = 0;
  damages = 0;
  torn = 0;
  readonly #folder: string;
  readonly #print: (line: string) => void;
  readonly #onBytes: (read: number) => void;
  #files = 0;
  #turns = 0;
  #bytes = 0;

  constructor(folder: string, print: (line: string) => void, onBytes: (read: number) => void) {
    this.#folder = folder;
    this.#print = print;
    this.#onBytes = onBytes;
  }

  readRun(run: readonly SegmentInfo[]): void {
    let before: string | null = null;
    for (const segment of run) {
      const name = segmentName(segment.number);
      const report = readSegmentReport(this.#folder, segment);
      this.#files += 1;
      this.#bytes += segment.bytes;
      this.#onBytes(this.#bytes);
      this.#turns += report.turns;
      this.updates += report.updates;
      if (before !== null && report.begins !== null && before !== report.begins) {
        this.noteDamage(
          name,
          'JOURNAL_HASH_MISMATCH: it does not begin where the file before ends',
        );
      }
      if (report.damage !== null) this.noteDamage(name, report.damage);
      else if (report.tear !== null) this.#noteTear(segment.number, report.tear);
      before = report.tear === null ? report.hashes : null;
    }
    const last = run.at(-1);
    if (last !== undefined && before !== null && !isEndedFile(this.#folder, last.number)) {
      this.#noteTear(last.number, 'it has no end mark');
    }
  }

  readSkipped({ name, reason }: JournalSkippedFile): void {
    const number = segmentNumber(name) ?? 0;
    const isCopy = reason === COPY_TEXT;
    const tear = isCopy ? null : readSkippedTear(this.#folder, number);
    if (isCopy) this.#print(`skipped: ${name}: ${reason}`);
    else if (tear === null) this.noteDamage(name, reason);
    else this.#noteTear(number, tear);
  }

  noteDamage(name: string, reason: string): void {
    this.damages += 1;
    this.#print(`damaged: ${name}: ${reason}`);
  }

  counted(): string {
    return `${this.#files} files, ${this.#turns} turns, ${this.updates} updates`;
  }

  #noteTear(number: number, tear: string): void {
    const name = segmentName(number);
    const isEnd = !existsSync(path.join(this.#folder, segmentName(number + 1)));
    if (!isEnd) {
      this.noteDamage(name, tear);
      return;
    }
    this.torn += 1;
    this.#print(`torn: ${name}: ${tear}: still written, or cut by a kill or a loss of power`);
  }
}

/**
 * Returns the reason why a file without a complete moment ends; null when the file is damaged or
 * unreadable.
 */
function readSkippedTear(folder: string, number: number): string | null {
  try {
    const segment = { number, ...readHeadOf(folder, number) };
    const { damage, tear } = readSegmentReport(folder, segment);
    return damage === null ? (tear ?? 'it ends before its first moment') : null;
  } catch {
    return null;
  }
}

/** Without a complete head, the origin of the file is unknown. */
function readHeadOf(folder: string, number: number): Pick<SegmentInfo, 'programId' | 'epoch'> {
  try {
    const bytes = readFileSync(path.join(folder, segmentName(number)));
    return readSegmentHead(bytes.subarray(0, SEGMENT_HEAD_BYTES));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { programId: ANY_PROGRAM, epoch: '' };
  }
}

function readSegmentReport(folder: string, segment: PlayedSegment): SegmentReport {
  const player = new JournalPlayer({ folder, segment });
  let begins: string | null = null;
  let damage: string | null = null;
  let tear: string | null = null;
  const readHashes = (): string => JSON.stringify(player.engine.hashes.readAll());
  try {
    if (player.next().kind === 'checkpoint') begins = readHashes();
    player.at({});
    tear = describeTear(player);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    damage = `${error.code}: ${textOfError(error)}`;
  } finally {
    player.close();
  }
  const { turns, updates } = player.reader.position();
  const hashes = damage === null ? readHashes() : null;
  return { turns, updates, tear, begins, hashes, damage };
}

function describeTear({ reader }: JournalPlayer): string | null {
  const tear = reader.finish();
  if (tear === null) return null;
  const { waiting } = reader.position();
  return `the last ${waiting} bytes are of a block that is not whole (${tear.code}: ${tear.message})`;
}

function momentText({ slot, ts }: JournalMoment): string {
  const time = new Date(ts);
  // A damaged file may contain an invalid time.
  return `slot ${slot} (${Number.isNaN(time.getTime()) ? ts : time.toISOString()})`;
}
