import { SilenceTimer } from '../../rpc/timers.js';
import { throwIfStopped } from '../model/error.js';
import { SCAN_SILENT_MS_MAX } from '../model/limits.js';
import type { FeedParts } from './parts.js';

/** When a scan ends, and what it calls whenever bytes come. */
export interface ScanLimits {
  readonly signal: AbortSignal;
  readonly onBytes: () => void;
}

/** The scan of one node. */
export interface Scan<T> {
  readonly run: (limits: ScanLimits) => Promise<T>;
  /** Whether the next scan takes its place when it fails; a failure of another one is one of the race. */
  readonly isReplaced: boolean;
}

/**
 * Runs the first scan, and beside it the next one whenever the last that began has been silent for some
 * seconds: a node that hangs does not hide one that works. Returns the first whole result and ends
 * the others.
 *
 * # Errors
 * The first failure of a scan that none replaces, when no scan is left that runs.
 */
export async function raceScans<T>(
  parts: Pick<FeedParts, 'timers' | 'counters' | 'transientErrors'>,
  scans: readonly Scan<T>[],
  signal: AbortSignal,
): Promise<T> {
  throwIfStopped(signal);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<T>((resolve, reject) => {
      new ScanRace(parts, scans, { signal: stop.signal, resolve, reject }).beginScan();
    });
  } finally {
    signal.removeEventListener('abort', abort);
    abort();
  }
}

interface Outcome<T> {
  readonly signal: AbortSignal;
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}

class ScanRace<T> {
  readonly #parts: Pick<FeedParts, 'timers' | 'counters' | 'transientErrors'>;
  readonly #scans: readonly Scan<T>[];
  readonly #outcome: Outcome<T>;
  #begun = 0;
  #running = 0;
  #failure: unknown;

  constructor(
    parts: Pick<FeedParts, 'timers' | 'counters' | 'transientErrors'>,
    scans: readonly Scan<T>[],
    outcome: Outcome<T>,
  ) {
    this.#parts = parts;
    this.#scans = scans;
    this.#outcome = outcome;
  }

  /** Begins the next scan, if there is one. */
  beginScan(): void {
    const scan = this.#scans[this.#begun];
    const { signal, resolve } = this.#outcome;
    if (scan === undefined || signal.aborted) return;
    if (this.#begun > 0) this.#parts.counters.scanFallbacks += 1;
    this.#begun += 1;
    this.#running += 1;
    const silence = new SilenceTimer(this.#parts.timers, SCAN_SILENT_MS_MAX, () => {
      this.#handleSilence();
    });
    const result = scan.run({ signal, onBytes: () => silence.recordSign() });
    result
      .then(resolve, (error: unknown) => this.#handleFailure(scan, error))
      .finally(() => silence.cancel());
  }

  #handleSilence(): void {
    if (this.#begun === this.#scans.length) return;
    const context = { silentMs: SCAN_SILENT_MS_MAX };
    this.#parts.transientErrors.logWarning('a scan is silent, the next node scans', '', context);
    this.beginScan();
  }

  #handleFailure(scan: Scan<T>, error: unknown): void {
    this.#running -= 1;
    if (!scan.isReplaced) this.#failure ??= error;
    else if (this.#running === 0) this.beginScan();
    if (this.#running === 0) this.#outcome.reject(this.#failure ?? error);
  }
}
