/**
 * The heartbeat of the compatible channels. Sockets are divided into shards whose heartbeats are
 * spread over the interval, because one message to very many sockets would block the event loop.
 */
import { LIMITS } from '../../config/limits.js';
import type { Timer, Timers } from '../../contract/timers.js';
import type { Publish } from '../transport/client-socket.js';
import { repeatCall } from '../transport/repeated-call.js';

/** The heartbeat of sockets. */
export const heartbeatText = '{"channel":"heartbeat"}';

/** Publishes the heartbeats of one service. */
export class HeartbeatShards {
  readonly #timers: Timers;
  readonly #publish: Publish;
  #assigned = 0;
  #next = 0;
  #beats: Timer | undefined;

  constructor(timers: Timers, publish: Publish) {
    this.#timers = timers;
    this.#publish = publish;
  }

  /**
   * Returns the heartbeat topic for the next socket: the shard whose next heartbeat is the latest.
   */
  assignTopic(): string {
    const { heartbeatShards } = LIMITS;
    this.#assigned = (this.#assigned + 1) % heartbeatShards;
    return topicOf((this.#next + heartbeatShards - this.#assigned) % heartbeatShards);
  }

  start(): void {
    const { heartbeatIntervalMs, heartbeatShards } = LIMITS;
    const intervalMs = heartbeatIntervalMs / heartbeatShards;
    this.#beats = repeatCall(this.#timers, intervalMs, (dueCount) => {
      // A shard whose time has passed gets one late heartbeat, so that delays do not accumulate.
      for (let left = Math.min(dueCount, heartbeatShards); left > 0; left -= 1) {
        this.#publish(topicOf(this.#next), heartbeatText);
        this.#next = (this.#next + 1) % heartbeatShards;
      }
    });
  }

  stop(): void {
    this.#beats?.cancel();
  }
}

function topicOf(shard: number): string {
  return `heartbeat ${shard}`;
}

/**
 * Returns the delay after which a client may reconnect after a shutdown, milliseconds; random, to
 * spread the reconnects.
 */
export function reconnectAfterMs(): number {
  const { reconnectAfterMsMin: min, reconnectAfterMsMax: max } = LIMITS;
  return Math.round(min + Math.random() * (max - min));
}
