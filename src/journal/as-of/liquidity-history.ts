import type { AsOfReply, LiquidityHistoryRead } from '../../contract/as-of-source.js';
import type { Timers } from '../../contract/timers.js';
import { SUMMARIES_MADE_MAX, SUMMARY_WORK_MS } from '../model/limits.js';
import type { JournalFiles, MomentJob } from '../model/messages.js';
import type { SegmentInfo } from '../store/segment-info.js';
import { readSummary, type SummaryRow, writeSummary } from '../store/summary-file.js';
import { finishBody } from './bodies.js';
import type { MomentFinder } from './moment-finder.js';
import { SegmentSummary, summaryName } from './segment-summary.js';

/** A request whose bodies are the history of a market. */
export interface HistoryJob extends MomentJob {
  readonly bodies: { readonly history: LiquidityHistoryRead };
}

/** The rows of a segment, all of them when it is whole. */
interface ReadSegment {
  readonly rows: readonly SummaryRow[];
  readonly isWhole: boolean;
}

/**
 * The liquidity of a market over time, from the summaries of segments. A segment without a summary
 * is played, and its summary is written once the segment has ended. One request works for a limited
 * time, the newest segment first; its reply then says how many segments it lacks, and the next
 * request continues.
 */
export class LiquidityHistory {
  readonly #files: JournalFiles;
  readonly #finder: MomentFinder;
  readonly #timers: Pick<Timers, 'nowMs'>;
  /** Summaries that are not whole, by the number of the segment; the last one was used last. */
  readonly #begun = new Map<number, SegmentSummary>();

  constructor(files: JournalFiles, finder: MomentFinder, timers: Pick<Timers, 'nowMs'>) {
    this.#files = files;
    this.#finder = finder;
    this.#timers = timers;
  }

  /**
   * Returns the body of a request; undefined when it was cancelled. Throws the file system's error
   * of a segment.
   */
  read(job: HistoryJob, isCancelled: () => boolean): AsOfReply | undefined {
    const { moment } = job;
    const { fromMs } = job.bodies.history;
    const all = this.#finder.segments();
    const newest = all.at(-1);
    const endMs = Math.max(job.flushedMs, job.newestMs, newest?.last.ts ?? 0);
    const asked = all.filter(
      (one) => one.first.ts <= moment.value && (one === newest ? endMs : one.last.ts) >= fromMs,
    );
    const last = asked.at(-1);
    if (last === undefined) {
      return { kind: 'notKept', message: this.#finder.describeNotKept(moment) };
    }
    const untilMs = this.#timers.nowMs() + SUMMARY_WORK_MS;
    const mayGoOn = (): boolean => !isCancelled() && this.#timers.nowMs() < untilMs;
    const read = asked.toReversed().map((segment) => {
      const isEnded = segment !== newest;
      const segmentEndMs = isEnded ? segment.last.ts : Math.min(endMs, moment.value);
      return this.#readSegment(segment, job, { isEnded, endMs: segmentEndMs, mayGoOn });
    });
    if (isCancelled()) return undefined;
    return this.#makeBody(job, { read: read.toReversed(), last, isEnded: last !== newest });
  }

  #makeBody(
    job: HistoryJob,
    of: {
      readonly read: readonly ReadSegment[];
      readonly last: SegmentInfo;
      readonly isEnded: boolean;
    },
  ): AsOfReply {
    const { read, last, isEnded } = of;
    const whole = read.filter(({ isWhole }) => isWhole).length;
    const body = bodyOf(read, job, { whole, of: read.length });
    const isPartial = whole < read.length;
    const asOf = { epoch: last.epoch, ...(this.#begun.get(last.number)?.moment ?? last.last) };
    return {
      ...finishBody(Buffer.from(body), asOf, []),
      isFinal: !isPartial && isEnded,
      isPartial,
    };
  }

  #readSegment(
    segment: SegmentInfo,
    { bodies: { history } }: HistoryJob,
    of: { readonly isEnded: boolean; readonly endMs: number; readonly mayGoOn: () => boolean },
  ): ReadSegment {
    const { folder } = this.#files;
    const { number } = segment;
    const market = summaryName(history.key);
    const read = { market, stepMs: history.stepMs };
    if (of.isEnded) {
      const rows = readSummary({ folder, number }, read);
      if (rows !== undefined) return { rows, isWhole: true };
    }
    if (!of.mayGoOn() && !this.#begun.has(number)) return { rows: [], isWhole: false };
    const summary = this.#takeSummary(segment);
    const isWhole = playWhile(summary.playTo(of.endMs), of.mayGoOn);
    if (isWhole && of.isEnded) this.#endSummary(number, summary);
    return { rows: summary.rows.get(market) ?? [], isWhole };
  }

  #takeSummary(segment: SegmentInfo): SegmentSummary {
    const { number } = segment;
    const summary =
      this.#begun.get(number) ??
      new SegmentSummary(this.#finder.openSegment(segment), segment.first.ts);
    this.#begun.delete(number);
    this.#begun.set(number, summary);
    const [[oldest, unused] = []] = this.#begun;
    if (this.#begun.size > SUMMARIES_MADE_MAX && oldest !== undefined) {
      this.#begun.delete(oldest);
      unused?.release();
    }
    return summary;
  }

  /** In a folder that cannot be written the summary stays in memory. */
  #endSummary(number: number, summary: SegmentSummary): void {
    try {
      writeSummary(this.#files.folder, number, summary.rows);
    } catch {
      return;
    }
    this.#begun.delete(number);
    summary.release();
  }
}

/** Returns whether the steps have ended. */
function playWhile(steps: Generator<undefined>, mayGoOn: () => boolean): boolean {
  while (mayGoOn()) if (steps.next().done === true) return true;
  return false;
}

/** Returns the rows of the request, by time; where a clock was set back, those of the newest. */
function bodyOf(
  read: readonly ReadSegment[],
  { moment: { value: toMs }, bodies: { history } }: HistoryJob,
  segments: { readonly whole: number; readonly of: number },
): string {
  const { key, fromMs, stepMs } = history;
  const texts = new Map<number, string>();
  for (const { ts, text } of read.flatMap(({ rows }) => rows)) {
    if (ts >= fromMs && ts <= toMs && ts % stepMs === 0) texts.set(ts, text);
  }
  const rows = [...texts].sort(([left], [right]) => left - right).map(([, text]) => text);
  return (
    `{"marketType":"${key.marketType}","marketIndex":${key.marketIndex},` +
    `"resolution":${stepMs / 1_000},"segmentsRead":${segments.whole},"segments":${segments.of},` +
    `"rows":[${rows.join(',')}]}`
  );
}
