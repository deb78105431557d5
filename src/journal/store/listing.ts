import type {
  JournalGap,
  JournalListing,
  JournalRange,
  JournalSkippedFile,
} from '../../contract/journal-source.js';
import type { FoundSegments } from './segment-index.js';
import { continues, isNextFile, type SegmentInfo } from './segment-info.js';
import { segmentName } from './segment-name.js';

/** Returns the stored ranges, from the segments in order and the unusable files. */
export function listKept(
  segments: readonly SegmentInfo[],
  skipped: readonly JournalSkippedFile[],
): JournalListing {
  const runs = splitRuns(segments);
  const gaps = runs.slice(1).map((run, index) => gapBetween(runs[index] ?? [], run));
  return { ranges: runs.map(rangeOf), gaps, skipped };
}

/** Groups contiguous segments into runs. */
export function splitRuns(segments: readonly SegmentInfo[]): readonly (readonly SegmentInfo[])[] {
  const runs: SegmentInfo[][] = [];
  let before: SegmentInfo | undefined;
  for (const segment of segments) {
    if (before !== undefined && continues(before, segment)) runs.at(-1)?.push(segment);
    else runs.push([segment]);
    before = segment;
  }
  return runs;
}

/**
 * Returns the contiguous range of the last process; files with unreadable heads count as holes in
 * it. Undefined without segments.
 */
export function newestRun({
  segments,
  skipped,
}: Pick<FoundSegments, 'segments' | 'skipped'>): readonly SegmentInfo[] | undefined {
  const unread = new Set(skipped.map(({ name }) => name));
  let newest: SegmentInfo[] | undefined;
  for (const segment of segments) {
    const before = newest?.at(-1);
    if (before !== undefined && isJoined(before, segment, unread)) newest?.push(segment);
    else newest = [segment];
  }
  return newest;
}

/**
 * Returns whether a segment continues another one, or would continue it with the unreadable files
 * between them. The chain may differ.
 */
function isJoined(before: SegmentInfo, after: SegmentInfo, unread: ReadonlySet<string>): boolean {
  if (isNextFile(before, after)) return true;
  if (before.epoch !== after.epoch) return false;
  for (let number = before.number + 1; number < after.number; number += 1) {
    if (!unread.has(segmentName(number))) return false;
  }
  return true;
}

function rangeOf(run: readonly SegmentInfo[]): JournalRange {
  const [first, last] = endsOf(run);
  return {
    epoch: first.epoch,
    first: first.first,
    last: last.last,
    segments: run.length,
    bytes: run.reduce((sum, { bytes }) => sum + bytes, 0),
    firstSeqs: first.seqs,
    lastSeqs: last.seqs,
  };
}

function gapBetween(before: readonly SegmentInfo[], after: readonly SegmentInfo[]): JournalGap {
  const [, from] = endsOf(before);
  const [to] = endsOf(after);
  const reason = from.epoch === to.epoch ? 'stopped' : 'restart';
  return { from: from.last, to: to.first, reason };
}

function endsOf(run: readonly SegmentInfo[]): readonly [SegmentInfo, SegmentInfo] {
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined) throw new Error('Invariant: a run has a segment');
  return [first, last];
}
