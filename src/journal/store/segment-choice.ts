import type { AsOfMoment } from '../../contract/as-of-source.js';
import { continues, type SegmentInfo } from './segment-info.js';

/** The segment that contains a moment, found by the heads of the files. */
export interface SegmentChoice {
  readonly segment: SegmentInfo;
  /** Whether the segment is the newest of the folder, which may still grow. */
  readonly isNewest: boolean;
  /**
   * Whether the segment must contain a moment after the requested one, because the next file begins
   * later.
   */
  readonly isContinued: boolean;
}

/** A slot, or unix milliseconds. */
export interface AskedTime {
  readonly by: 'slot' | 'ts';
  readonly value: number;
}

/**
 * Finds the segment of a slot or a time: the last segment that begins no later, in the newest range
 * that contains the moment. Null when the moment is not stored. The newest file of the folder, by
 * number, may belong to another epoch than `segments`.
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
    const isContinued = next !== undefined && continues(segment, next) && next.first[by] > value;
    // The end of the newest segment can only be found by reading.
    if (isNewest || isContinued || segment.last[by] >= value)
      return { segment, isNewest, isContinued };
  }
  return null;
}

/** Finds the segment in which a market, by its id in that epoch, reaches a sequence number. */
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
  // The first checkpoint of a range contains sequence numbers whose first moment is not stored.
  const at = before >= 0 ? before : segments.findIndex((one) => isOf(one) && seqAt(one) === seq);
  const segment = segments[at];
  if (segment === undefined) return null;
  return { segment, isNewest: segment.number === newest, isContinued: false };
}

/** The stored ranges, of an epoch where one was requested, as text. */
function describeKept(segments: readonly SegmentInfo[], { epoch }: AsOfMoment): string {
  const first = segments[0];
  const last = segments.at(-1);
  if (first === undefined || last === undefined) {
    return `the journal has nothing ${epoch === undefined ? 'yet' : 'of this epoch; see /journal'}`;
  }
  const hasGap = segments.some((segment, at) => {
    const next = segments[at + 1];
    return next !== undefined && !continues(segment, next);
  });
  const slots = `slot ${first.first.slot} to ${last.last.slot}`;
  const times = `ts ${first.first.ts} to ${last.last.ts}`;
  return `the journal has ${slots}, ${times}${hasGap ? ', with gaps' : ''}; see /journal`;
}

/** Returns the error message for a moment that is not stored: the reason and the stored ranges. */
export function describeNotKept(
  moment: AsOfMoment,
  segments: readonly SegmentInfo[],
  damage?: string,
): string {
  const why = damage === undefined ? 'is not kept' : `cannot be read (${damage})`;
  const { by, value, epoch } = moment;
  const name = epoch === undefined ? `${by} ${value}` : `${by} ${value} of epoch ${epoch}`;
  return `${name} ${why}: ${describeKept(segments, moment)}`;
}
