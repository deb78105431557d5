/**
 * Watches the event loop of its own process: how long it was away from a timer of a millisecond,
 * and how much of that the main thread worked. The rest is the machine: another process had the
 * core, or the machine itself stood still.
 */
import { openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The timer's own period, which is no delay. */
const PERIOD_MS = 1;
/** Blocks of a phase that are reported one by one. */
const LONGEST_TOLD = 5;

/** One phase after another: `begin` a phase, read it by `end`. */
export class LoopMonitor {
  #schedstat = openSync('/proc/self/schedstat', 'r');
  #text = Buffer.alloc(128);
  #delay = monitorEventLoopDelay({ resolution: PERIOD_MS });
  #blocks = [];
  #timer;
  #startMs = 0;

  /** Starts a phase and drops earlier measurements. */
  begin() {
    clearInterval(this.#timer);
    this.#blocks = [];
    this.#startMs = performance.now();
    let last = this.#now();
    this.#timer = setInterval(() => {
      const now = this.#now();
      const wallMs = now.wallMs - last.wallMs - PERIOD_MS;
      const [cpuMs, waitMs] = [now.cpuMs - last.cpuMs, now.waitMs - last.waitMs];
      this.#blocks.push({ atMs: now.wallMs - this.#startMs, wallMs, cpuMs, waitMs });
      last = now;
    }, PERIOD_MS);
    this.#delay.enable();
    this.#delay.reset();
  }

  /** Ends the phase and returns the loop's delays in milliseconds. */
  end() {
    clearInterval(this.#timer);
    this.#delay.disable();
    const sorted = (field) => this.#blocks.map((block) => block[field]).sort((a, b) => a - b);
    const figures = (values) => ({ max: values.at(-1), p999: values[thousandths(values, 999)] });
    return {
      seconds: (performance.now() - this.#startMs) / 1_000,
      ticks: this.#blocks.length,
      wallMs: figures(sorted('wallMs')),
      cpuMs: figures(sorted('cpuMs')),
      waitMs: figures(sorted('waitMs')),
      delayMs: { max: this.#delay.max / 1e6, p999: this.#delay.percentile(99.9) / 1e6 },
      longest: [...this.#blocks].sort((a, b) => b.cpuMs - a.cpuMs).slice(0, LONGEST_TOLD),
    };
  }

  /** Times of the main thread as Linux keeps them: at work, and ready but not let. */
  #now() {
    const wallMs = performance.now();
    // A running thread's time in /proc is that of the last tick, unless it asks for its usage.
    process.cpuUsage();
    const length = readSync(this.#schedstat, this.#text, 0, this.#text.length, 0);
    const [cpuNs, waitNs] = this.#text.toString('latin1', 0, length).split(' ').map(Number);
    return { wallMs, cpuMs: cpuNs / 1e6, waitMs: waitNs / 1e6 };
  }
}

function thousandths(values, part) {
  return Math.min(values.length - 1, Math.floor((values.length * part) / 1_000));
}
