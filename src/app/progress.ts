/** How far a long run is: one line that is overwritten on a terminal, or a line each 10 s. */
import type { Timers } from '../contract/timers.js';
import { systemTimers } from '../rpc/timers.js';

/** Interval of lines without a terminal. */
const LINE_MS = 10_000;
/** Interval of redraws on a terminal: more cannot be read. */
const DRAW_MS = 125;
const BAR_CHARS = 20;
/** Time before which no rate and no end are told. */
const RATE_AFTER_MS = 1_000;
/** Share below which no end is told: it would jump. */
const SHARE_MIN = 0.001;

/** A step of a run. */
interface ProgressStep {
  /** The finished share, 0 to 1; null when the end is unknown. */
  readonly share: number | null;
  readonly done: number;
  /** The unit of `done`, in the plural. */
  readonly unit: string;
  /** More words. */
  readonly detail?: string;
}

/** The output of progress: standard error, so that results stay alone on standard output. */
interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** The progress of one run. */
export class RunProgress {
  readonly #output: ProgressOutput;
  readonly #timers: Pick<Timers, 'nowMs'>;
  #begin: { readonly atMs: number; readonly step: ProgressStep } | null = null;
  #shownAtMs: number;

  constructor(
    output: ProgressOutput = process.stderr,
    timers: Pick<Timers, 'nowMs'> = systemTimers,
  ) {
    this.#output = output;
    this.#timers = timers;
    this.#shownAtMs = output.isTTY === true ? Number.NEGATIVE_INFINITY : timers.nowMs();
  }

  /** Shows a step when the interval is over. */
  show(step: ProgressStep): void {
    const nowMs = this.#timers.nowMs();
    this.#begin ??= { atMs: nowMs, step };
    const isTTY = this.#output.isTTY === true;
    if (nowMs - this.#shownAtMs < (isTTY ? DRAW_MS : LINE_MS)) return;
    this.#shownAtMs = nowMs;
    const text = this.#textOf(step, nowMs);
    this.#output.write(isTTY ? `\r\x1b[K${barOf(step.share)}${text}` : `${text}\n`);
  }

  /** Removes the line of a terminal, before results or an error are printed. */
  clear(): void {
    if (this.#output.isTTY === true && this.#begin !== null) this.#output.write('\r\x1b[K');
  }

  /** Rate and end are reckoned from the first step, because a resumed run begins in the middle. */
  #textOf({ share, done, unit, detail }: ProgressStep, nowMs: number): string {
    const { atMs, step } = this.#begin ?? { atMs: nowMs, step: { share, done } };
    const elapsedMs = nowMs - atMs;
    const parts = [`${done} ${unit}`];
    if (elapsedMs >= RATE_AFTER_MS) {
      parts.push(`${Math.round(((done - step.done) * 1_000) / elapsedMs)} a second`);
      const made = (share ?? 0) - (step.share ?? 0);
      if (share !== null && made > SHARE_MIN)
        parts.push(`${durationText((elapsedMs * (1 - share)) / made)} left`);
    }
    if (detail !== undefined && detail !== '') parts.push(detail);
    const percent = share === null ? '' : `${Math.floor(share * 100)} % `;
    return `${percent}${parts.join(', ')}`;
  }
}

function barOf(share: number | null): string {
  if (share === null) return '';
  const full = Math.round(share * BAR_CHARS);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CHARS - full)}] `;
}

function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6_000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
