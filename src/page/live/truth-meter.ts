/**
 * The figures of the truth strip: counts of frames, checksums and repairs, rates, and the latency
 * from the chain's notification to the drawn frame.
 */
import type { ProtocolViolation } from '@slotbook/client';
import { ClockComparison, type ClockOffset, type ClockSample } from '../model/clock-offset.js';
import { UNDRAWN_MAX } from '../model/limits.js';
import { LatencyWindow, RateWindow } from '../model/windows.js';
import type { SocketMeter } from './measured-socket.js';
import { askRenderer } from './renderer.js';

type Frame = Readonly<Record<string, unknown>>;

/** The figures at one moment. */
export interface Truth {
  /** Books with a correct and with a wrong checksum. */
  readonly checksumsVerified: number;
  readonly checksumsFailed: number;
  /** The last checksum, as eight hexadecimal digits; empty before the first. */
  readonly checksum: string;
  readonly updatesPerSecond: number;
  readonly bytesPerSecond: number;
  /**
   * From notification to drawn frame, milliseconds; null before the first, and while the clock
   * offset is unknown.
   */
  readonly latency: { readonly p50: number; readonly p99: number } | null;
  readonly clock: ClockOffset | null;
  /** Reconnects that resumed, and reconnects with a new book. */
  readonly resumes: number;
  readonly resyncs: number;
  /** Missed frames of the screen. */
  readonly dropped: number;
  /** The WebGL renderer; empty until a frame was dropped. */
  readonly renderer: string;
  /** Frames that broke a rule; each is or was repaired. */
  readonly repairs: number;
  /** The last broken rule; null for none. */
  readonly lastRepair: string | null;
}

/** Collects the figures of the strip. Times are Unix milliseconds of the page's clock. */
export class TruthMeter implements SocketMeter {
  readonly #updates = new RateWindow();
  readonly #bytes = new RateWindow();
  readonly #latencies = new LatencyWindow();
  readonly #clocks = new ClockComparison();
  readonly #nowMs: () => number;
  /** The service's notification times of received but undrawn changes. */
  #undrawn: number[] = [];
  #counts = { checksumsVerified: 0, checksumsFailed: 0, resumes: 0, resyncs: 0, repairs: 0 };
  #dropped = 0;
  #renderer = '';
  #checksum: number | undefined;
  #lastRepair: string | null = null;
  #connection: 'new' | 'lost' | 'followed' = 'new';

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  addBytes(count: number): void {
    this.#bytes.add(count, this.#nowMs());
  }

  addClockSample(sample: ClockSample): void {
    this.#clocks.addSample(sample);
  }

  /** Counts a validated frame of the shown book. */
  noteFrame({ type, crc, recvNs, reset }: Frame): void {
    const kind = type === 'snapshot' ? 'snapshot' : 'rest';
    if (this.#connection === 'lost') this.#counts[kind === 'snapshot' ? 'resyncs' : 'resumes'] += 1;
    else if (reset === true) this.#counts.resyncs += 1;
    this.#connection = 'followed';
    if (type === 'heartbeat') return;
    this.#counts.checksumsVerified += 1;
    if (typeof crc === 'number') this.#checksum = crc;
    // A snapshot's changes were received long ago.
    if (type !== 'delta') return;
    this.#updates.add(1, this.#nowMs());
    if (typeof recvNs !== 'string' || recvNs === '0') return;
    if (this.#undrawn.length < UNDRAWN_MAX) this.#undrawn.push(Number(recvNs) / 1e6);
  }

  /** Records a change of topic: its first snapshot is not a repair. */
  noteNewTopic(): void {
    this.#connection = 'new';
    this.#undrawn = [];
  }

  /** Records a lost connection, or a repair of the book. */
  noteInterruption(): void {
    if (this.#connection === 'followed') this.#connection = 'lost';
    this.#undrawn = [];
  }

  noteViolation({ rule }: ProtocolViolation): void {
    this.#counts.repairs += 1;
    if (rule === 'crc') this.#counts.checksumsFailed += 1;
    this.#lastRepair = rule;
  }

  /** Counts missed frames of the screen. */
  noteDropped(count: number): void {
    this.#dropped += count;
    // The renderer only matters when frames are dropped.
    if (this.#dropped > count) return;
    askRenderer((name) => {
      this.#renderer = name;
    });
  }

  /** Records that all received changes are drawn. */
  noteDrawn(): void {
    const { offset } = this.#clocks;
    const nowMs = this.#nowMs();
    if (offset !== null) {
      for (const recvMs of this.#undrawn) {
        this.#latencies.add(Math.max(0, nowMs + offset.offsetMs - recvMs), nowMs);
      }
    }
    this.#undrawn.length = 0;
  }

  /** The current figures. */
  readTruth(): Truth {
    const nowMs = this.#nowMs();
    return {
      ...this.#counts,
      checksum: this.#checksum?.toString(16).padStart(8, '0') ?? '',
      updatesPerSecond: this.#updates.perSecond(nowMs),
      bytesPerSecond: this.#bytes.perSecond(nowMs),
      latency: this.#latencies.quantiles(nowMs),
      clock: this.#clocks.offset,
      dropped: this.#dropped,
      renderer: this.#renderer,
      lastRepair: this.#lastRepair,
    };
  }
}
