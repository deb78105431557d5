import type { JournalMoment } from '../../contract/journal-source.js';

/** A file of the journal, by its head and its last block. */
export interface SegmentInfo {
  readonly number: number;
  readonly bytes: number;
  readonly programId: string;
  readonly epoch: string;
  readonly first: JournalMoment;
  readonly last: JournalMoment;
  /** Sequence numbers at the checkpoint, by market id. */
  readonly seqs: readonly number[];
}

/** Whether one process wrote two segments without a gap; its source may have switched chains. */
export function isNextFile(
  segment: Pick<SegmentInfo, 'number'>,
  next: Pick<SegmentInfo, 'number'>,
): boolean {
  return next.number === segment.number + 1;
}

/** Whether nothing is missing between two segments of one run of the book. */
export function continues(
  segment: Pick<SegmentInfo, 'number' | 'epoch'>,
  next: Pick<SegmentInfo, 'number' | 'epoch'>,
): boolean {
  return isNextFile(segment, next) && next.epoch === segment.epoch;
}
