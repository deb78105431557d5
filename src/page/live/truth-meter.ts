/**
 * What the truth strip says: counts of frames, checksums and repairs, rates, and the time from the
 * chain's notification to the drawn frame.
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
  /** Books whose checksum was that of their frame, and those whose was not. */
  readonly checksumsVerified: number;
  readonly checksumsFailed: number;
  /** The last one, as eight hexadecimal digits; empty before the first. */
  readonly checksum: string;
  readonly updatesPerSecond: number;
  readonly bytesPerSecond: number;
  /** From notification to drawn frame, milliseconds; null before the first, and while the clocks differ unknown. */
  readonly latency: { readonly p50: number; readonly p99: number } | null;
  readonly clock: ClockOffset | null;
  /** Connections that went on where the last one had broken off, and those that began with a new book. */
  readonly resumes: number;
  readonly resyncs: number;
  /** Frames of the screen that went by while something was to be drawn. */
  readonly dropped: number;
  /** What draws, as WebGL calls it; empty until a frame was dropped. */
  readonly renderer: string;
  /** Frames that broke a rule, all of which were repaired or are being repaired. */
  readonly repairs: number;
  /** The rule that was broken last; null while none was. */
  readonly lastRepair: string | null;
}

/** Collects what the strip says. Times are Unix milliseconds of the page's clock. */
export class TruthMeter implements SocketMeter {
  readonly #updates = new RateWindow();
  readonly #bytes = new RateWindow();
  readonly #latencies = new LatencyWindow();
  readonly #clocks = new ClockComparison();
  readonly #nowMs: () => number;
  /** When the service was notified of what was received and is not drawn yet, by its clock. */
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

  /** Notes a frame of the shown book that has passed its checks. */
  noteFrame({ type, crc, recvNs, reset }: Frame): void {
    const kind = type === 'snapshot' ? 'snapshot' : 'rest';
    if (this.#connection === 'lost') this.#counts[kind === 'snapshot' ? 'resyncs' : 'resumes'] += 1;
    else if (reset === true) this.#counts.resyncs += 1;
    this.#connection = 'followed';
    if (type === 'heartbeat') return;
    this.#counts.checksumsVerified += 1;
    if (typeof crc === 'number') this.#checksum = crc;
    // What a snapshot has was received long ago.
    if (type !== 'delta') return;
    this.#updates.add(1, this.#nowMs());
    if (typeof recvNs !== 'string' || recvNs === '0') return;
    if (this.#undrawn.length < UNDRAWN_MAX) this.#undrawn.push(Number(recvNs) / 1e6);
  }

  /** Notes that the shown book is of another topic: its first snapshot is no repair. */
  noteNewTopic(): void {
    this.#connection = 'new';
    this.#undrawn = [];
  }

  /** Notes that the connection is lost, or that the book is being repaired. */
  noteInterruption(): void {
    if (this.#connection === 'followed') this.#connection = 'lost';
    this.#undrawn = [];
  }

  noteViolation({ rule }: ProtocolViolation): void {
    this.#counts.repairs += 1;
    if (rule === 'crc') this.#counts.checksumsFailed += 1;
    this.#lastRepair = rule;
  }

  /** Notes frames of the screen that showed less than was there. */
  noteDropped(count: number): void {
    this.#dropped += count;
    // Where all is smooth nobody asks.
    if (this.#dropped > count) return;
    askRenderer((name) => {
      this.#renderer = name;
    });
  }

  /** Notes that all that was received is drawn. */
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

  /** The figures now. */
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
