/**
 * Follows one topic with the client library in strict mode, and counts the received messages.
 *
 * ```ts
 * const follower = new Follower({ url: 'http://127.0.0.1:8080', topic });
 * follower.start();
 * const error = await Promise.race([follower.failed, stopped]);
 * await follower.stop();
 * ```
 *
 * This file does not draw, and does not decide how long to follow.
 */

import { WebSocket } from 'ws';
import type { ClientError } from '../client/error.js';
import type { Message } from '../client/fields.js';
import { StreamClient } from '../client/stream/client.js';
import type { ConnectionState } from '../client/stream/connection.js';
import { strictChecks } from '../client/stream/strict-checks.js';
import type { Subscription } from '../client/stream/subscription.js';
import type { Best, BookView } from '../client/stream/topic.js';
import { ProtocolViolation } from '../client/stream/violation.js';
import { Deferred } from '../contract/deferred.js';
import { FollowError, type FollowedTopic, topicOf } from './follow-options.js';
import * as limits from './limits.js';
import { Tally } from './tally.js';

/** The phase of a follower. */
type Phase = 'connecting' | 'subscribing' | 'waiting' | 'following' | 'pausing' | 'stopped';

/** The topic, and the connection. */
interface FollowerOptions {
  /** Of the service or its WebSocket. */
  readonly url: string;
  readonly topic: FollowedTopic;
  /** Called after every applied frame. */
  readonly onFrame?: () => void;
  /** Silence after which a stream counts as broken, milliseconds; by default the library's. */
  readonly silenceMsMax?: number;
}

/** A client of one topic. */
export class Follower {
  readonly tally = new Tally();
  readonly #failed = new Deferred<FollowError>();
  readonly failed = this.#failed.promise;
  readonly #options: FollowerOptions;
  readonly #client: StreamClient;
  #subscription: Subscription<Best> | undefined;
  #socket: WebSocket | undefined;
  #closeReason = 'it was closed';
  #connection: ConnectionState = 'idle';
  #connections = 0;
  /** Whether the last frame resumed the book. */
  #isResuming = false;
  #isStopped = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#client = new StreamClient({
      url: options.url,
      // JSON is requested, so that the follower validates every member that the service writes.
      encoding: 'json',
      ...(options.silenceMsMax === undefined ? {} : { silenceMsMax: options.silenceMsMax }),
      WebSocket: countedSocketClass(this.tally, (socket) => this.#watchSocket(socket)),
      checks: strictChecks,
      onFrame: (frame) => this.#countFrame(frame),
      onRepair: (violation) => this.tally.addViolation(violation),
    });
    this.#client.onConnection((state) => this.#handleConnection(state));
  }

  get phase(): Phase {
    if (this.#isStopped) return 'stopped';
    if (this.#connection === 'connecting') return 'connecting';
    if (this.#connection !== 'open') return 'pausing';
    const phase = this.#subscription?.phase ?? 'off';
    return phase === 'off' || phase === 'ended' ? 'subscribing' : phase;
  }

  /** The newest valid book; undefined before the first book. */
  get view(): BookView<Best> | undefined {
    return this.#subscription?.view;
  }

  get topicName(): string | undefined {
    return this.#subscription?.topicName;
  }

  start(): void {
    const subscription = this.#client.subscribe(topicOf(this.#options.topic));
    this.#subscription = subscription;
    subscription.onUpdate((view) => this.#countView(view));
    subscription.onError((error) => this.#handleRefusal(error));
  }

  /** Closes the connection; resolves when it is closed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const socket = this.#socket;
    this.#client.close();
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    await new Promise((resolve) => {
      const timer = setTimeout(() => socket.terminate(), limits.CLOSE_MS_MAX);
      socket.once('close', () => resolve(clearTimeout(timer)));
    });
  }

  #watchSocket(socket: WebSocket): void {
    this.#socket = socket;
    this.#closeReason = 'it was closed';
    socket.on('error', ({ message }) => {
      this.#closeReason = message;
    });
  }

  #handleConnection(state: ConnectionState): void {
    const before = this.#connection;
    this.#connection = state;
    if (state === 'connecting') {
      this.#connections += 1;
      this.tally.reconnects = this.#connections - 1;
    }
    if (before !== 'connecting' || state !== 'pausing' || this.topicName !== undefined) return;
    const { host } = new URL(this.#options.url);
    const message = `no stream at ${host}: ${this.#closeReason}`;
    this.#failed.resolve(new FollowError('STREAM_UNREACHABLE', message));
  }

  #handleRefusal({ code, message }: ClientError): void {
    this.#failed.resolve(new FollowError('SUBSCRIPTION_REFUSED', `${code}: ${message}`));
  }

  /** Counts a frame of this subscription, before the library checks it. */
  #countFrame({ type, topic, reset }: Message): void {
    const phase = this.#subscription?.phase;
    if (phase !== 'waiting' && phase !== 'following') return;
    if (topic !== this.topicName) {
      this.tally.addViolation(new ProtocolViolation('malformed', 'a frame is of another topic'));
      return;
    }
    this.#isResuming = phase === 'waiting' && type !== 'snapshot';
    if (type === 'snapshot' || type === 'delta' || type === 'heartbeat') {
      this.tally.frames[type] += 1;
    }
    if (type === 'snapshot' && reset === true) this.tally.resets += 1;
  }

  /** Counts a book, after its frame was applied. */
  #countView(view: BookView<Best>): void {
    if (!view.isFollowing) return;
    if (this.#isResuming) this.tally.resumes += 1;
    this.#isResuming = false;
    if (isCrossed(view)) this.tally.crossed += 1;
    this.#options.onFrame?.();
  }
}

/** Whether the best bid is above the best ask. */
export function isCrossed({ bestBidPrice, bestAskPrice }: BookView<Best>): boolean {
  return bestBidPrice !== null && bestAskPrice !== null && bestBidPrice > bestAskPrice;
}

/** Returns a socket class that counts into a tally; `onCreate` is called with each socket. */
function countedSocketClass(tally: Tally, onCreate: (socket: WebSocket) => void) {
  return class extends WebSocket {
    constructor(url: string) {
      super(url, {
        handshakeTimeout: limits.CONNECT_MS_MAX,
        maxPayload: limits.MESSAGE_BYTES_MAX,
      });
      this.on('message', (data: Buffer, isBinary) => {
        tally.bytes += data.length;
        if (isBinary) tally.addViolation(new ProtocolViolation('malformed', 'a frame is binary'));
      });
      onCreate(this);
    }
  };
}
