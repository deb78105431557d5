/**
 * The replays of one socket: reads the client's replay requests, and forwards later messages to the
 * replays.
 */
import { LIMITS } from '../../config/limits.js';
import type { ReplayRequest, ReplaySource, ReplayTopic } from '../../contract/replay-source.js';
import type { ReplayQuota } from '../admission/replay-quota.js';
import type { SocketCounts } from '../metrics/socket-metrics.js';
import { NO_JOURNAL_TEXT, SocketError } from '../transport/errors.js';
import { type ClientMessage, textOfId } from './client-message.js';
import { type ReplayAction, readPlan, readSpeed } from './replay-messages.js';
import { ReplaySubscriber } from './replay-subscriber.js';
import { isWildcard, quotaClassOf, readStreamRequest } from './stream-dialect.js';
import type { StreamRequest } from './stream-topic.js';
import type { ChannelParts, SubscriptionRequest } from './subscription.js';
import { classOf } from './unmarked-changes.js';
import { isUserChannel } from './user-channel.js';

/** The dependencies of a socket's replays. */
export interface SocketReplaysParts extends Pick<ChannelParts, 'book' | 'directory' | 'streams'> {
  /** Undefined without a journal. */
  readonly replays?: ReplaySource | undefined;
  readonly counts: Pick<SocketCounts, 'outcomes'>;
  readonly replayQuota: ReplayQuota;
  /** Called with the id of each command that an ended replay has not answered. */
  readonly onUnanswered: (id: string) => void;
  /** The client's address. */
  readonly ip: string;
}

/** The replays of one socket by their topics. */
export class SocketReplays {
  readonly #parts: SocketReplaysParts;
  readonly #open = new Map<string, ReplaySubscriber>();

  constructor(parts: SocketReplaysParts) {
    this.#parts = parts;
  }

  /**
   * Reads a subscription to a replay; returns undefined for a live subscription. Throws a
   * SocketError.
   */
  readRequest(message: ClientMessage): SubscriptionRequest | undefined {
    const names = ['from', 'until', 'speed'];
    const [given] = names.filter((name) => message.hasMember(name));
    if (given === undefined) return undefined;
    if (isUserChannel(message)) throw alone('a channel of a market, channel was user');
    const { from, until = null, speed = 1 } = readPlan(message);
    if (isWildcard(message)) throw alone('a topic of one market, market was "*"');
    if (message.hasMember('resume')) throw alone('no resume: it says where to begin itself');
    const { replays, book } = this.#parts;
    if (replays === undefined) throw new SocketError('NO_JOURNAL', NO_JOURNAL_TEXT);
    const request = readStreamRequest(message, this.#parts);
    const id = textOfId(message.id);
    return {
      key: request.key,
      market: request.market,
      quotaClass: quotaClassOf(request.spec, book),
      openSubscriber: () => this.#openSubscriber(replays, request, { from, until, speed, id }),
    };
  }

  /**
   * Forwards a message to the replay that it names. Throws NOT_SUBSCRIBED when there is no such
   * replay.
   */
  handleMessage(kind: ReplayAction, message: ClientMessage): void {
    const subscriber = this.#open.get(message.requireText('topic'));
    if (subscriber === undefined) {
      throw new SocketError('NOT_SUBSCRIBED', 'there is no such replay on this socket');
    }
    const id = textOfId(message.id);
    if (kind === 'pause') subscriber.sendCommand({ kind, id });
    else if (kind === 'resume') subscriber.sendCommand({ kind, id, speed: readSpeed(message) });
    else subscriber.sendCommand({ kind, id, ...readPlan(message) });
  }

  #openSubscriber(
    replays: ReplaySource,
    request: StreamRequest,
    asked: Omit<ReplayRequest, 'topic'>,
  ): ReplaySubscriber {
    const { key } = request;
    const topic = this.#topicOf(request);
    const { replayQuota, ip } = this.#parts;
    const before = this.#takePlace(key);
    try {
      const subscriber: ReplaySubscriber = new ReplaySubscriber({
        ...this.#parts,
        request,
        openReplay: (listener) => replays.openReplay({ ...asked, topic }, listener),
        onGone: () => this.#removeReplay(subscriber),
      });
      this.#open.set(key, subscriber);
      return subscriber;
    } catch (error) {
      replayQuota.releaseReplay(ip);
      before?.endWith(error as Error);
      throw error;
    }
  }

  /** Ends and returns the replay of the same topic, or counts a further replay. Throws LIMIT_EXCEEDED. */
  #takePlace(key: string): ReplaySubscriber | undefined {
    const before = this.#open.get(key);
    if (before === undefined) {
      this.#requireRoom();
      this.#parts.replayQuota.acquireReplay(this.#parts.ip);
      return undefined;
    }
    this.#open.delete(key);
    before.endReplay();
    return before;
  }

  /** This can be called again for a replay that was already removed. */
  #removeReplay(subscriber: ReplaySubscriber): void {
    if (this.#open.get(subscriber.key) !== subscriber) return;
    this.#open.delete(subscriber.key);
    this.#parts.replayQuota.releaseReplay(this.#parts.ip);
  }

  #requireRoom(): void {
    const { replaysPerSocketMax } = LIMITS;
    if (this.#open.size < replaysPerSocketMax) return;
    throw new SocketError('LIMIT_EXCEEDED', `a socket may have ${replaysPerSocketMax} replays`);
  }

  #topicOf({ key: name, spec }: StreamRequest): ReplayTopic {
    const row = this.#parts.directory.markets().find(({ id }) => id === spec.market);
    if (row === undefined) throw new Error('Invariant: a topic that was read has a market');
    const { marketType, marketIndex } = row;
    return { key: { marketType, marketIndex }, spec, name, classIndex: classOf(spec) };
  }
}

function alone(what: string): SocketError {
  return new SocketError('INVALID_PARAM', `from needs ${what}`);
}
