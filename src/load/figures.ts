/** The counts of a run, from the time at which all clients have their books. */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { Findings } from './findings.js';
import { LATENCY_US_MAX } from './limits.js';

/** Counts and latencies of one run. */
export class Figures {
  readonly findings = new Findings();
  /** Frames of both channels. */
  frames = 0;
  frameBytes = 0;
  polls = 0;
  /** Refused or unanswered requests, included in `polls`. */
  failedPolls = 0;
  /** Latency from the service's receipt of a change to the validated book, microseconds. */
  readonly #deltaUs = createHistogram({ highest: LATENCY_US_MAX });
  /** Latency from the request to the validated body, microseconds. */
  readonly #pollUs = createHistogram({ highest: LATENCY_US_MAX });
  /** The number of negative latencies, which are caused by differing clocks of the two machines. */
  negative = 0;

  /** Discards the counts of the connecting phase; violations stay. */
  restart(): void {
    this.frames = 0;
    this.frameBytes = 0;
    this.polls = 0;
    this.failedPolls = 0;
    this.negative = 0;
    for (const histogram of [this.#deltaUs, this.#pollUs]) histogram.reset();
  }

  addDelta(latencyMs: number): void {
    if (latencyMs < 0) this.negative += 1;
    else this.#deltaUs.record(microseconds(latencyMs));
  }

  addPoll(latencyMs: number): void {
    this.#pollUs.record(microseconds(latencyMs));
  }

  /** Percentiles of the changes, milliseconds; null without any. */
  get deltaMs(): object | null {
    return percentilesMs(this.#deltaUs);
  }

  /** Percentiles of the requests, likewise. */
  get pollMs(): object | null {
    return percentilesMs(this.#pollUs);
  }

  get deltaLatency(): string {
    return percentilesOf(this.#deltaUs);
  }

  get pollLatency(): string {
    return percentilesOf(this.#pollUs);
  }
}

/** Node's histograms accept only integers from 1 on. */
function microseconds(ms: number): number {
  return Math.min(Math.max(1, Math.round(ms * 1_000)), LATENCY_US_MAX);
}

function percentilesMs(histogram: RecordableHistogram): object | null {
  if (histogram.count === 0) return null;
  const at = (percent: number): number => histogram.percentile(percent) / 1_000;
  return { p50: at(50), p90: at(90), p99: at(99), max: histogram.max / 1_000 };
}

function percentilesOf(histogram: RecordableHistogram): string {
  if (histogram.count === 0) return 'none';
  const shown = [50, 90, 99].map((at) => `p${at} ${milliseconds(histogram.percentile(at))}`);
  return [...shown, `max ${milliseconds(histogram.max)}`].join(', ');
}

function milliseconds(us: number): string {
  return `${(us / 1_000).toFixed(us < 10_000 ? 2 : 0)} ms`;
}
