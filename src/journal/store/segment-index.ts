import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';
import type { JournalMoment, JournalSkippedFile } from '../../contract/journal-source.js';
import { readSegmentHead, type SegmentHead } from '../../engine/journal-reader.js';
import { textOfError } from '../model/error.js';
import { SEGMENT_HEAD_BYTES, SEGMENTS_MAX } from '../model/limits.js';
import { momentOf, momentsOfFile } from './block-moments.js';
import type { SegmentInfo } from './segment-info.js';
import { segmentName, segmentNumber } from './segment-name.js';

/** What a folder holds. */
export interface FoundSegments {
  /** In their order. */
  readonly segments: readonly SegmentInfo[];
  readonly skipped: readonly JournalSkippedFile[];
  /** The highest number of any file, also of one that cannot be used; 0 without one. */
  readonly numberMax: number;
}

/** Reads the index of a folder from the heads of its files; those of one program, or of any for null. Throws what the file system says of the folder. */
export function readSegments(folder: string, programId: string | null): FoundSegments {
  const numbers = readdirSync(folder)
    .map(segmentNumber)
    .filter((number) => number !== null)
    .sort((left, right) => left - right);
  const segments: SegmentInfo[] = [];
  const skipped: JournalSkippedFile[] = [];
  for (const number of numbers.slice(-SEGMENTS_MAX)) {
    try {
      segments.push(readSegment(folder, number, programId));
    } catch (error) {
      skipped.push({ name: segmentName(number), reason: textOfError(error) });
    }
  }
  return { segments, skipped, numberMax: numbers.at(-1) ?? 0 };
}

/** What the head of a segment says; that of a run's first one has no moment, because its checkpoint is empty. */
export function infoOfHead(number: number, head: SegmentHead): HeadInfo {
  const { programId, epoch, slot, tsMs, seqs } = head;
  return { number, programId, epoch, first: momentOf(slot, tsMs), seqs };
}

/** A segment by its head alone. */
export interface HeadInfo extends Omit<SegmentInfo, 'bytes' | 'first' | 'last'> {
  readonly first: JournalMoment | null;
}

/** What a file tells of itself. Throws where it has no whole moment, or is of another program; null for any. */
export function readSegment(folder: string, number: number, programId: string | null): SegmentInfo {
  const handle = openSync(path.join(folder, segmentName(number)), 'r');
  try {
    const head = Buffer.alloc(SEGMENT_HEAD_BYTES);
    const length = readSync(handle, head, 0, head.length, 0);
    const found = readSegmentHead(head.subarray(0, length));
    if (programId !== null && found.programId !== programId) {
      throw new Error(`it is of the program ${found.programId}`);
    }
    const { size } = fstatSync(handle);
    const read = (at: number, into: Buffer): void =>
      void readSync(handle, into, 0, into.length, at);
    const moments = momentsOfFile({ size, read });
    if (moments === null) throw new Error('it ends before its first moment');
    const info = infoOfHead(number, found);
    return { ...info, bytes: size, first: info.first ?? moments.first, last: moments.last };
  } finally {
    closeSync(handle);
  }
}
