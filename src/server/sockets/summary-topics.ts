/**
 * The channels `markets` and `pricing` of the market data dialect: statistics of all markets,
 * published at fixed intervals while there are subscribers.
 *
 * This file does not know the content of the statistics.
 */
import { LIMITS } from '../../config/limits.js';
import type { Publisher, WholeTopic } from './publisher.js';

/** The name and the interval of each channel. */
const PACES = {
  markets: { name: 'markets:summary', intervalMs: LIMITS.marketSummariesIntervalMs },
  pricing: { name: 'pricing', intervalMs: LIMITS.pricingIntervalMs },
} as const;

/** A channel of statistics. */
export type SummaryChannel = keyof typeof PACES;

/** The channels. */
export const SUMMARY_CHANNELS = Object.keys(PACES) as readonly SummaryChannel[];

/** Returns whether a channel has statistics of all markets. */
export function isSummaryChannel(channel: string): channel is SummaryChannel {
  return channel in PACES;
}

/** The current data of each channel, as JSON. */
export type SummarySource = Readonly<Record<SummaryChannel, () => string>>;

/** The name of a channel in messages. */
export function summaryName(channel: SummaryChannel): string {
  return PACES[channel].name;
}

/** A channel. */
class SummaryTopic implements WholeTopic {
  readonly key: string;
  readonly changedAtMs = null;
  subscribers = 0;
  readyAtMs = 0;
  broken = false;

  readonly #channel: SummaryChannel;
  readonly #source: SummarySource;
  readonly #publisher: Publisher;

  constructor(channel: SummaryChannel, source: SummarySource, publisher: Publisher) {
    this.key = summaryName(channel);
    this.#channel = channel;
    this.#source = source;
    this.#publisher = publisher;
  }

  /** Adds a subscriber. The first subscriber starts the publication. */
  join(): this {
    this.subscribers += 1;
    if (this.subscribers > 1) return this;
    this.readyAtMs = this.#publisher.timers.nowMs() + PACES[this.#channel].intervalMs;
    this.#publisher.addDue(this);
    this.#publisher.publishDue();
    return this;
  }

  leave(): void {
    this.subscribers -= 1;
    if (this.subscribers === 0) this.#publisher.removeTopic(this);
  }

  /**
   * The next frame is scheduled from the due time of this frame, so that delays do not accumulate.
   */
  renderFrame(nowMs: number): Uint8Array {
    const { intervalMs } = PACES[this.#channel];
    this.readyAtMs = nowMs + intervalMs - ((nowMs - this.readyAtMs) % intervalMs);
    this.#publisher.addDue(this);
    return this.#render('update', `,"channel":"${this.key}"`);
  }

  renderFirst(): Uint8Array {
    return this.#render('init', '');
  }

  #render(type: 'init' | 'update', members: string): Uint8Array {
    const data = this.#source[this.#channel]();
    return Buffer.from(
      `{"type":"${type}","channelType":"${this.#channel}"${members},"data":${data}}`,
    );
  }
}

/** The topic of each channel. */
export type SummaryTopics = Readonly<Record<SummaryChannel, SummaryTopic>>;

/** Creates the topics of a source. */
export function summaryTopics(source: SummarySource, publisher: Publisher): SummaryTopics {
  const topicOf = (channel: SummaryChannel) => new SummaryTopic(channel, source, publisher);
  const topics = SUMMARY_CHANNELS.map((channel) => [channel, topicOf(channel)] as const);
  return Object.fromEntries(topics) as SummaryTopics;
}
