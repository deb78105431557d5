/**
 * Publishes the statistics of all markets to the channels `markets` and `pricing` of market data, each at
 * its own pace while it has subscribers.
 *
 * This file does not know what a text says, nor who its subscribers are.
 */
import { LIMITS } from '../../config/limits.js';
import type { Timer, Timers } from '../../contract/timers.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import type { Publish } from '../transport/client-socket.js';
import { repeatCall } from '../transport/repeated-call.js';

/** The channels. */
export const SUMMARY_CHANNELS = ['markets', 'pricing'] as const;

/** The name of a channel. */
export type SummaryChannel = (typeof SUMMARY_CHANNELS)[number];

/** The data of each channel as of now, as JSON. */
export type SummarySource = Readonly<Record<SummaryChannel, () => string>>;

/** The name of each channel in messages, and the time between two of them. */
const PACES = {
  markets: { name: 'markets:summary', intervalMs: LIMITS.marketSummariesIntervalMs },
  pricing: { name: 'pricing', intervalMs: LIMITS.pricingIntervalMs },
} as const satisfies Readonly<Record<SummaryChannel, object>>;

/** The name of a channel in messages. */
export function summaryName(channel: SummaryChannel): string {
  return PACES[channel].name;
}

/** The parts of a fan-out. */
export interface SummaryFanOutOptions {
  readonly source: SummarySource;
  readonly publish: Publish;
  readonly timers: Timers;
  /** Called when a text cannot be made. */
  readonly onFault: (error: unknown, topic: string) => void;
}

/** A channel while it has subscribers. */
interface OpenChannel {
  subscribers: number;
  readonly timer: Timer;
}

/** Both channels. */
export class SummaryFanOut {
  readonly #options: SummaryFanOutOptions;
  readonly #open = new Map<SummaryChannel, OpenChannel>();
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };

  constructor(options: SummaryFanOutOptions) {
    this.#options = options;
  }

  /** Adds a subscriber, and begins to publish with the first one. */
  addSubscriber(channel: SummaryChannel): void {
    const open = this.#open.get(channel);
    if (open !== undefined) {
      open.subscribers += 1;
      return;
    }
    const { intervalMs } = PACES[channel];
    const { timers } = this.#options;
    const timer = repeatCall(timers, intervalMs, () => this.#publishChannel(channel));
    this.#open.set(channel, { subscribers: 1, timer });
  }

  /** Removes a subscriber, and ends the channel with the last one. */
  removeSubscriber(channel: SummaryChannel): void {
    const open = this.#open.get(channel);
    if (open === undefined) return;
    open.subscribers -= 1;
    if (open.subscribers > 0) return;
    open.timer.cancel();
    this.#open.delete(channel);
  }

  /** The first message of a subscription. Throws what the source throws. */
  writeInit(channel: SummaryChannel): string {
    return `{"type":"init","channelType":"${channel}","data":${this.#options.source[channel]()}}`;
  }

  readStats(): FanOutStats {
    return { ...this.#counts };
  }

  /** Publishes nothing more. */
  stop(): void {
    for (const { timer } of this.#open.values()) timer.cancel();
  }

  #publishChannel(channel: SummaryChannel): void {
    const { source, publish, onFault } = this.#options;
    const { name } = PACES[channel];
    const members = `"type":"update","channelType":"${channel}","channel":"${name}"`;
    let bytes: Buffer;
    try {
      bytes = Buffer.from(`{${members},"data":${source[channel]()}}`);
    } catch (error) {
      this.#counts.failed += 1;
      onFault(error, name);
      return;
    }
    const readers = this.#open.get(channel)?.subscribers ?? 0;
    publish(name, bytes);
    this.#counts.published += 1;
    this.#counts.delivered += readers;
    this.#counts.deliveredBytes += readers * bytes.length;
  }
}
