/**
 * The heartbeat of the compatible channels. Sockets are assigned to shards, whose heartbeats are spread
 * over the interval, because one message to very many sockets would hold the event loop.
 */
import { LIMITS } from '../../config/limits.js';
import type { Publish } from '../transport/client-socket.js';

/** The heartbeat of sockets. */
export const heartbeatText = '{"channel":"heartbeat"}';

/** Publishes the heartbeats of one service. */
export class HeartbeatShards {
  readonly #publish: Publish;
  #assigned = 0;
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(publish: Publish) {
    this.#publish = publish;
  }

  /** Returns the heartbeat topic of the next socket: of the shard whose turn is farthest. */
  assignTopic(): string {
    const { heartbeatShards } = LIMITS;
    this.#assigned = (this.#assigned + 1) % heartbeatShards;
    return topicOf((this.#next + heartbeatShards - this.#assigned) % heartbeatShards);
  }

  start(): void {
    const intervalMs = LIMITS.heartbeatIntervalMs / LIMITS.heartbeatShards;
    this.#timer = setInterval(() => {
      this.#publish(topicOf(this.#next), heartbeatText);
      this.#next = (this.#next + 1) % LIMITS.heartbeatShards;
    }, intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function topicOf(shard: number): string {
  return `heartbeat ${shard}`;
}

/** When a client may reconnect after a shutdown: random, so that they do not come back all at once. */
export function reconnectAfterMs(): number {
  const { reconnectAfterMsMin: min, reconnectAfterMsMax: max } = LIMITS;
  return Math.round(min + Math.random() * (max - min));
}
