import type { AsOfMoment } from '../../contract/as-of-source.js';
import type { JournalMoment } from '../../contract/journal-source.js';
import { continues, type SegmentInfo } from './segment-info.js';

/** The segment in which a moment lies, as far as the heads of the files tell. */
export interface SegmentChoice {
  readonly segment: SegmentInfo;
  /** Whether it is the newest of the folder, to whose end more may come. */
  readonly isNewest: boolean;
  /** Whether a later moment than the one asked for is to be found in it, as the next file begins with one. */
  readonly goesOn: boolean;
}

/** A slot, or unix milliseconds. */
export interface AskedTime {
  readonly by: 'slot' | 'ts';
  readonly value: number;
}

/**
 * The segment of a slot or a time: of the newest range that has it, the last one that begins no later. Null for
 * a moment that is not kept. The newest file of the folder, by its number, need not be among the segments of a run.
 */
export function chooseByTime(
  segments: readonly SegmentInfo[],
  { by, value, newest }: AskedTime & { readonly newest: number },
): SegmentChoice | null {
  for (let at = segments.length - 1; at >= 0; at -= 1) {
    const segment = segments[at] as SegmentInfo;
    if (segment.first[by] > value) continue;
    const isNewest = segment.number === newest;
    const next = segments[at + 1];
    const goesOn = next !== undefined && continues(segment, next) && next.first[by] > value;
    // How far the newest one goes is seen when it is read.
    if (isNewest || goesOn || segment.last[by] >= value) return { segment, isNewest, goesOn };
  }
  return null;
}

/** The segment in which a market, by its id in that run of the book, reaches a sequence number. */
export function chooseBySeq(
  segments: readonly SegmentInfo[],
  {
    epoch,
    market,
    seq,
    newest,
  }: {
    readonly epoch: string;
    readonly market: number;
    readonly seq: number;
    readonly newest: number;
  },
): SegmentChoice | null {
  const seqAt = (segment: SegmentInfo): number => segment.seqs[market] ?? 0;
  const isOf = (segment: SegmentInfo): boolean => segment.epoch === epoch;
  const before = segments.findLastIndex((segment) => isOf(segment) && seqAt(segment) < seq);
  // At its checkpoint a range has a number whose first moment is not kept.
  const at = before >= 0 ? before : segments.findIndex((one) => isOf(one) && seqAt(one) === seq);
  const segment = segments[at];
  if (segment === undefined) return null;
  return { segment, isNewest: segment.number === newest, goesOn: false };
}

/** What is kept, in words. */
function describeKept(segments: readonly SegmentInfo[], newest?: JournalMoment): string {
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === undefined || last === undefined) return 'the journal has nothing yet';
  const end = newest ?? last.last;
  const hasGap = segments.some((segment, at) => {
    const next = segments[at + 1];
    return next !== undefined && !continues(segment, next);
  });
  const slots = `slot ${first.first.slot} to ${end.slot}`;
  const times = `ts ${first.first.ts} to ${end.ts}`;
  return `the journal has ${slots}, ${times}${hasGap ? ', with gaps' : ''}; see /journal`;
}

/** What is said of a moment that is not kept: why, and what is. */
export function describeNotKept(
  moment: AsOfMoment,
  segments: readonly SegmentInfo[],
  damage?: string,
  newest?: JournalMoment,
): string {
  const why = damage === undefined ? 'is not kept' : `cannot be read (${damage})`;
  return `${nameOfMoment(moment)} ${why}: ${describeKept(segments, newest)}`;
}

/** The moment as a request names it. */
function nameOfMoment({ by, value, epoch }: AsOfMoment): string {
  return epoch === undefined ? `${by} ${value}` : `${by} ${value} of epoch ${epoch}`;
}
