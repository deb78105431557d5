/**
 * The beat of the compatible channels. The sockets are dealt to shards, whose beats are spread over
 * the interval, because one message to very many sockets would hold the event loop.
 */
import { LIMITS } from '../../config/limits.js';
import type { Publish } from '../transport/client-socket.js';

const heartbeatText = '{"channel":"heartbeat"}';

/** The beats of one service. */
export class HeartbeatShards {
  #dealt = 0;
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly publish: Publish) {}

  /** What the beat of the next socket is published under: the one whose turn is farthest. */
  assignTopic(): string {
    const { heartbeatShards } = LIMITS;
    this.#dealt = (this.#dealt + 1) % heartbeatShards;
    return topicOf((this.#next + heartbeatShards - this.#dealt) % heartbeatShards);
  }

  start(): void {
    const intervalMs = LIMITS.heartbeatIntervalMs / LIMITS.heartbeatShards;
    this.#timer = setInterval(() => {
      this.publish(topicOf(this.#next), heartbeatText);
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
