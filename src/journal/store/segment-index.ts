import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import type { JournalMoment, JournalSkippedFile } from '../../contract/journal-source.js';
import { withoutPaths } from '../../contract/without-paths.js';
import { readSegmentHead, type SegmentHead } from '../../engine/journal-reader.js';
import { systemCodeOf, textOfError } from '../model/error.js';
import { SEGMENT_HEAD_BYTES, SEGMENTS_MAX } from '../model/limits.js';
import {
  BLOCK_HEAD_BYTES,
  type BlockBytes,
  type BlockMoments,
  isEnded,
  momentOf,
  momentsOfFile,
  PREAMBLE_BYTES,
} from './block-moments.js';
import { continues, type SegmentInfo } from './segment-info.js';
import { segmentName, segmentNumber } from './segment-name.js';

/** The contents of a folder. */
export interface FoundSegments {
  /** In order. */
  readonly segments: readonly SegmentInfo[];
  readonly skipped: readonly JournalSkippedFile[];
  /**
   * The highest number of a file, including unusable files. Numbers far above those of segments are
   * not of the journal.
   */
  readonly numberMax: number;
}

/**
 * Reads the index of a folder: the segments of one program, or of all programs when it is null.
 * Throws the file system's error for the folder.
 */
export function readSegments(folder: string, programId: string | null): FoundSegments {
  return new SegmentIndex(folder, programId).read();
}

/** Returns whether the writer of a segment closed its file. Throws the file system's error. */
export function isEndedFile(folder: string, number: number): boolean {
  return readFile(folder, number, isEnded);
}

/** The facts in a segment's head; a run's first head has no moment, because its checkpoint is empty. */
export function infoOfHead(number: number, head: SegmentHead): HeadInfo {
  const { programId, epoch, slot, tsMs, seqs } = head;
  return { number, programId, epoch, first: momentOf(slot, tsMs), seqs };
}

/** A segment by its head alone. */
export interface HeadInfo extends Omit<SegmentInfo, 'bytes' | 'first' | 'last'> {
  readonly first: JournalMoment | null;
}

/** The reason why a file has no readable segment, and the file's size at that time. */
interface Unreadable {
  readonly reason: string;
  readonly bytes: number;
}

/** The facts in a file's head, and its size. */
interface FileHead extends HeadInfo {
  readonly bytes: number;
}

/**
 * The index of a folder in which others may write, from the heads of its files: a file ends at the
 * next one's start. Only a file without a successor is walked to its end. Results are cached, also
 * that a file is unreadable. The newest segment grows: its size and last moment are those of the
 * first reading, until there is a newer one or `forgetEnd`.
 */
export class SegmentIndex {
  readonly #folder: string;
  readonly #programId: string | null;
  readonly #heads = new Map<number, FileHead>();
  readonly #moments = new Map<number, BlockMoments>();
  readonly #unreadable = new Map<number, Unreadable>();
  /** The newest segment at the last reading of the folder. */
  #newest = 0;

  constructor(folder: string, programId: string | null) {
    this.#folder = folder;
    this.#programId = programId;
  }

  /** Returns the current contents of the folder. Throws the file system's error. */
  read(): FoundSegments {
    const numbers = readdirSync(this.#folder)
      .map(segmentNumber)
      .filter((number) => number !== null)
      .sort((left, right) => left - right);
    this.#forgetOld(numbers);
    const files = numbers
      .slice(-SEGMENTS_MAX)
      .map((number) => ({ name: segmentName(number), found: this.#trySegment(number) }));
    const originals = originalsOf(files.map(({ found }) => found));
    const segments: SegmentInfo[] = [];
    const skipped: JournalSkippedFile[] = [];
    for (const { name, found } of files) {
      if ('reason' in found) skipped.push({ name, reason: found.reason });
      else if (originals.has(found)) segments.push(found);
      else skipped.push({ name, reason: COPY_TEXT });
    }
    this.#newest = segments.at(-1)?.number ?? 0;
    const numberEnd = this.#newest + SEGMENTS_MAX;
    return { segments, skipped, numberMax: numbers.findLast((number) => number < numberEnd) ?? 0 };
  }

  /** Makes the next reading find the present end of the newest segment. */
  forgetEnd(): void {
    this.#moments.delete(this.#newest);
  }

  /** Removes deleted files, and the newest segment when there is a newer one, from the cache. */
  #forgetOld(numbers: readonly number[]): void {
    const there = new Set(numbers);
    const isNewer = (number: number): boolean => number > this.#newest && this.#mayBeNew(number);
    if (numbers.some(isNewer)) there.delete(this.#newest);
    for (const known of [this.#heads, this.#moments, this.#unreadable]) {
      for (const number of known.keys()) if (!there.has(number)) known.delete(number);
    }
  }

  /** Returns whether a file may have a new segment: an unreadable file that grew is read again. */
  #mayBeNew(number: number): boolean {
    const known = this.#unreadable.get(number);
    if (known === undefined) return !this.#heads.has(number);
    const isGrown = number > this.#newest && sizeOf(this.#folder, number) !== known.bytes;
    if (isGrown) this.#unreadable.delete(number);
    return isGrown;
  }

  #trySegment(number: number): SegmentInfo | Unreadable {
    const known = this.#unreadable.get(number);
    if (known !== undefined) return known;
    const bytes = sizeOf(this.#folder, number);
    try {
      return this.#readSegment(number);
    } catch (error) {
      const unreadable = { reason: withoutPaths(textOfError(error), this.#folder), bytes };
      if (systemCodeOf(error) === null) this.#unreadable.set(number, unreadable);
      return unreadable;
    }
  }

  #readSegment(number: number): SegmentInfo {
    const head = this.#readHead(number);
    const next = this.#findHead(number + 1);
    const first = head.first ?? this.#readMoments(number).first;
    const end = next !== null && continues(head, next) ? next.first : null;
    // The next file may be a copy of this one, or of one before it.
    const isEnd = end !== null && end.ts > first.ts;
    return { ...head, first, last: isEnd ? end : this.#readMoments(number).last };
  }

  #findHead(number: number): FileHead | null {
    if (this.#unreadable.has(number)) return null;
    try {
      return this.#readHead(number);
    } catch {
      return null;
    }
  }

  #readHead(number: number): FileHead {
    const known = this.#heads.get(number);
    if (known !== undefined) return known;
    const head = readFile(this.#folder, number, ({ size, read }) => {
      const bytes = readFirstBlock({ size, read });
      return { ...infoOfHead(number, readSegmentHead(bytes)), bytes: size };
    });
    if (this.#programId !== null && head.programId !== this.#programId) {
      throw new Error(`it is of the program ${head.programId}`);
    }
    this.#heads.set(number, head);
    return head;
  }

  #readMoments(number: number): BlockMoments {
    const moments =
      this.#moments.get(number) ?? readFile(this.#folder, number, (file) => momentsOfFile(file));
    if (moments === null) throw new Error('it ends before its first moment');
    this.#moments.set(number, moments);
    return moments;
  }
}

/** Why a copy is skipped. */
export const COPY_TEXT = 'it begins as another file does, and is a copy of it or a part';

/** Returns, of the files with one beginning, the first of those that end last. */
function originalsOf(files: readonly (SegmentInfo | Unreadable)[]): ReadonlySet<SegmentInfo> {
  const originals = new Map<string, SegmentInfo>();
  for (const file of files) {
    if ('reason' in file) continue;
    const { epoch, first, last } = file;
    const start = `${epoch} ${first.slot} ${first.ts}`;
    if (last.ts > (originals.get(start)?.last.ts ?? -1)) originals.set(start, file);
  }
  return new Set(originals.values());
}

/** Reads a file up to the end of its first block, which contains only the head. */
function readFirstBlock({ size, read }: BlockBytes): Buffer {
  const start = Buffer.alloc(PREAMBLE_BYTES + BLOCK_HEAD_BYTES);
  read(0, start);
  const blockBytes = start.length + start.readUInt32LE(PREAMBLE_BYTES);
  const bytes = Buffer.alloc(Math.min(blockBytes, SEGMENT_HEAD_BYTES, size));
  read(0, bytes);
  return bytes;
}

/** Returns 0 for a file whose size the system does not report. */
function sizeOf(folder: string, number: number): number {
  try {
    return statSync(path.join(folder, segmentName(number))).size;
  } catch {
    return 0;
  }
}

function readFile<T>(folder: string, number: number, take: (file: BlockBytes) => T): T {
  // A pipe would be waited for.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const handle = openSync(path.join(folder, segmentName(number)), flags);
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw new Error('it is no file');
    const read = (at: number, into: Buffer): void =>
      void readSync(handle, into, 0, into.length, at);
    return take({ size: stat.size, read });
  } finally {
    closeSync(handle);
  }
}
