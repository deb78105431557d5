import type { JournalMoment } from '../../contract/journal-source.js';

/** The facts about a journal file, from its head and its last block. */
export interface SegmentInfo {
  readonly number: number;
  readonly bytes: number;
  readonly programId: string;
  readonly epoch: string;
  readonly first: JournalMoment;
  readonly last: JournalMoment;
  /** Sequence numbers at the checkpoint, indexed by market id. */
  readonly seqs: readonly number[];
}

/**
 * Returns whether one process wrote two segments without a gap; its node may have switched chains
 * in between.
 */
export function isNextFile(
  segment: Pick<SegmentInfo, 'number'>,
  next: Pick<SegmentInfo, 'number'>,
): boolean {
  return next.number === segment.number + 1;
}

/** Returns whether nothing is missing between two segments of one epoch. */
export function continues(
  segment: Pick<SegmentInfo, 'number' | 'epoch'>,
  next: Pick<SegmentInfo, 'number' | 'epoch'>,
): boolean {
  return isNextFile(segment, next) && next.epoch === segment.epoch;
}
