import type { Timer, Timers } from '../../contract/timers.js';
import { SilenceTimer } from '../../rpc/timers.js';
import { throwIfStopped } from '../model/error.js';
import {
  AUDIT_SCAN_ALONE_MS_MAX,
  AUDIT_SCAN_SILENT_MS_MAX,
  SCAN_ALONE_MS_MAX,
  SCAN_PROGRESS_BYTES_MIN,
  SCAN_SILENT_MS_MAX,
} from '../model/limits.js';
import type { FeedParts } from './parts.js';

/** The abort signal of a scan, and its callback for received bytes. */
export interface ScanLimits {
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
}

/** The time limits of a single scan, after which the next scan starts in parallel, milliseconds. */
export interface ScanPatience {
  /** Without progress. */
  readonly silentMsMax: number;
  /** In total. */
  readonly aloneMsMax: number;
}

/** While the book is not live. */
export const REBUILD_PATIENCE: ScanPatience = {
  silentMsMax: SCAN_SILENT_MS_MAX,
  aloneMsMax: SCAN_ALONE_MS_MAX,
};

/** While the book is live. */
export const AUDIT_PATIENCE: ScanPatience = {
  silentMsMax: AUDIT_SCAN_SILENT_MS_MAX,
  aloneMsMax: AUDIT_SCAN_ALONE_MS_MAX,
};

/** The scan of one node. */
export interface Scan<T> {
  readonly run: (limits: ScanLimits) => Promise<T>;
  /**
   * Whether the next scan replaces this one after a failure; otherwise its failure is the failure
   * of the race.
   */
  readonly isReplaced: boolean;
}

/**
 * Runs the first scan, and starts the next one in parallel whenever the latest makes no progress
 * for some seconds, or takes long: a hanging or slow node does not hide a working node. Resolves
 * with the first complete result and aborts the other scans.
 *
 * # Errors
 * Rejects with the first failure of a scan without a replacement, when no scan is left.
 */
export async function raceScans<T>(
  parts: Pick<FeedParts, 'timers' | 'counters' | 'transientErrors'>,
  scans: readonly Scan<T>[],
  { signal, patience }: { readonly signal: AbortSignal; readonly patience: ScanPatience },
): Promise<T> {
  throwIfStopped(signal);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<T>((resolve, reject) => {
      const outcome = { signal: stop.signal, patience, resolve, reject };
      new ScanRace(parts, scans, outcome).beginScan();
    });
  } finally {
    signal.removeEventListener('abort', abort);
    abort();
  }
}

interface ScanOutcome<T> {
  readonly signal: AbortSignal;
  readonly patience: ScanPatience;
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}

class ScanRace<T> {
  readonly #parts: Pick<FeedParts, 'timers' | 'counters' | 'transientErrors'>;
  readonly #scans: readonly Scan<T>[];
  readonly #outcome: ScanOutcome<T>;
  #begun = 0;
  #running = 0;
  #failure: unknown;

  constructor(
    parts: Pick<FeedParts, 'timers' | 'counters' | 'transientErrors'>,
    scans: readonly Scan<T>[],
    outcome: ScanOutcome<T>,
  ) {
    this.#parts = parts;
    this.#scans = scans;
    this.#outcome = outcome;
  }

  /** Starts the next scan, if there is one. */
  beginScan(): void {
    const scan = this.#scans[this.#begun];
    const { signal, resolve } = this.#outcome;
    if (scan === undefined || signal.aborted) return;
    if (this.#begun > 0) this.#parts.counters.scanFallbacks += 1;
    this.#begun += 1;
    this.#running += 1;
    const watch = new ProgressWatch(this.#parts.timers, this.#outcome.patience, () => {
      this.#beginBeside();
    });
    const result = scan.run({ signal, onBytes: (count) => watch.recordBytes(count) });
    result
      .then(resolve, (error: unknown) => this.#handleFailure(scan, error))
      .finally(() => watch.cancel());
  }

  #beginBeside(): void {
    if (this.#begun === this.#scans.length) return;
    const { patience } = this.#outcome;
    const text = 'a scan is silent or slow, the next node scans';
    this.#parts.transientErrors.logWarning(text, '', patience);
    this.beginScan();
  }

  #handleFailure(scan: Scan<T>, error: unknown): void {
    this.#running -= 1;
    if (!scan.isReplaced) this.#failure ??= error;
    else if (this.#running === 0) this.beginScan();
    if (this.#running === 0) this.#outcome.reject(this.#failure ?? error);
  }
}

/** Calls back once, when a scan makes no progress or takes long. */
class ProgressWatch {
  readonly #silence: SilenceTimer;
  readonly #end: Timer;
  #bytes = 0;

  constructor(timers: Timers, { silentMsMax, aloneMsMax }: ScanPatience, onLate: () => void) {
    const endOnce = (): void => {
      this.cancel();
      onLate();
    };
    this.#silence = new SilenceTimer(timers, silentMsMax, endOnce);
    this.#end = timers.after(aloneMsMax, endOnce);
  }

  recordBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes < SCAN_PROGRESS_BYTES_MIN) return;
    this.#bytes = 0;
    this.#silence.recordSign();
  }

  cancel(): void {
    this.#silence.cancel();
    this.#end.cancel();
  }
}
