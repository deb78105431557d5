import type { Timer, Timers } from '../../contract/timers.js';

/** Buckets in seconds: from a batch of a few accounts, about 50 us, to a blocked event loop. */
const PATH_SECONDS = [
  0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
];
/** Buckets in seconds: the target is 5 ms; a second is an outage. */
const BLOCKED_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
/** Buckets in seconds: a frame waits for the end of its turn, at most for the publish interval. */
const PUBLISHED_SECONDS = [
  0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
];

/**
 * Buckets in seconds: a body of a cached past book takes 1 ms, of a book to restore 200 ms; the
 * timeout is ten seconds.
 */
const AS_OF_SECONDS = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 10];

/** Sampling interval of the event loop's lag; shorter blocks are measured only in part. */
const SAMPLE_INTERVAL_MS = 10;

/** Latencies from the node's notification to the reader. */
export class Timings {
  readonly receiveToApplied = new Histogram(PATH_SECONDS);
  readonly appliedToPublished = new Histogram(PUBLISHED_SECONDS);
  readonly asOf = new Histogram(AS_OF_SECONDS);
  readonly eventLoopBlocked = new Histogram(BLOCKED_SECONDS);
  readonly #timers: Timers;
  #watch: Timer | null = null;
  #sampledAtMs = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Starts to measure the lag of the event loop. */
  watchLoop(): void {
    this.#sampledAtMs = this.#timers.nowMs();
    this.#planSample();
  }

  stop(): void {
    this.#watch?.cancel();
    this.#watch = null;
  }

  /** All histograms as Prometheus text. */
  toText(): string {
    return [
      this.receiveToApplied.toText(
        'slotbook_receive_to_applied_seconds',
        'From the first notification of a turn to the end of the turn.',
      ),
      this.appliedToPublished.toText(
        'slotbook_applied_to_published_seconds',
        'From the end of a turn to the frame that shows it.',
      ),
      this.asOf.toText(
        'slotbook_as_of_seconds',
        'From a request for a past moment to its reply, a refusal too.',
      ),
      this.eventLoopBlocked.toText(
        'slotbook_event_loop_blocked_seconds',
        'How late a timer of 10 ms came.',
      ),
    ].join('');
  }

  #planSample(): void {
    this.#watch = this.#timers.after(SAMPLE_INTERVAL_MS, () => this.#sampleLoop());
  }

  #sampleLoop(): void {
    const nowMs = this.#timers.nowMs();
    this.eventLoopBlocked.observe((nowMs - this.#sampledAtMs - SAMPLE_INTERVAL_MS) / 1_000);
    this.#sampledAtMs = nowMs;
    this.#planSample();
  }
}

/**
 * A distribution of durations in fixed buckets. `observe` costs a few comparisons and allocates
 * nothing; the text is rendered at the scrape.
 */
export class Histogram {
  readonly #limits: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** `limits` are the upper bounds in seconds, ascending; values above the last are counted too. */
  constructor(limits: readonly number[]) {
    this.#limits = limits;
    this.#counts = new Float64Array(limits.length + 1);
  }

  /** Counts one duration; a negative duration, after a clock step, counts as zero. */
  observe(seconds: number): void {
    const duration = Math.max(seconds, 0);
    const limits = this.#limits;
    let bucket = 0;
    while (bucket < limits.length && duration > (limits[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += duration;
  }

  /** This histogram as Prometheus text. */
  toText(name: string, help: string): string {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    let count = 0;
    for (const [bucket, limit] of [...this.#limits, Number.POSITIVE_INFINITY].entries()) {
      count += this.#counts[bucket] ?? 0;
      const le = limit === Number.POSITIVE_INFINITY ? '+Inf' : String(limit);
      lines.push(`${name}_bucket{le="${le}"} ${count}`);
    }
    lines.push(`${name}_sum ${this.#sum}`, `${name}_count ${count}`);
    return `${lines.join('\n')}\n`;
  }
}
