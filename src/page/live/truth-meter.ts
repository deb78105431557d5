/**
 * The figures of the truth strip: counts of frames, checksums and repairs, rates, and the latency
 * from the node's notification to the drawn frame.
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
  /** The number of books whose checksum was correct; the next member counts wrong checksums. */
  readonly checksumsVerified: number;
  readonly checksumsFailed: number;
  /** The last checksum, as eight hexadecimal digits; empty before the first. */
  readonly checksum: string;
  readonly updatesPerSecond: number;
  readonly bytesPerSecond: number;
  /**
   * Latency from the node's notification to the drawn frame, milliseconds; null before the first
   * frame, and while the clock offset is unknown.
   */
  readonly latency: { readonly p50: number; readonly p99: number } | null;
  readonly clock: ClockOffset | null;
  /**
   * The number of reconnects that resumed the stream; the next member counts those that needed a
   * new book.
   */
  readonly resumes: number;
  readonly resyncs: number;
  /** Missed frames of the screen. */
  readonly dropped: number;
  /** The WebGL renderer; empty until a frame was dropped. */
  readonly renderer: string;
  /** Frames that broke a rule of the stream; each was repaired, or is being repaired. */
  readonly repairs: number;
  /** The last broken rule; null for none. */
  readonly lastRepair: string | null;
}

/** Collects the figures of the truth strip. Times are Unix milliseconds of the page's clock. */
export class TruthMeter implements SocketMeter {
  readonly #updates = new RateWindow();
  readonly #bytes = new RateWindow();
  readonly #latencies = new LatencyWindow();
  readonly #clocks = new ClockComparison();
  readonly #nowMs: () => number;
  /** Notification times, by the service's clock, of changes that are received but not drawn. */
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

  /** Records a change of topic, because its first snapshot is not a repair. */
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
    // The renderer is detected only once frames are dropped.
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
