/**
 * The name of a message of the log, by which readers see that none is missing between two: the run of the writer, the segment, and the
 * place in the segment. It is the `Nats-Msg-Id` of the message.
 */
export interface LogMessageId {
  /** Names the life of one writer: the epoch with which it began. */
  readonly run: string;
  /** From 1 in each run. */
  readonly segment: number;
  /** From 0 in each segment. */
  readonly index: number;
}

/** The name as a text. */
export function textOfId({ run, segment, index }: LogMessageId): string {
  return `${run}.${segment}.${index}`;
}

/** The name that a text stands for; null where it is none. */
export function parseId(text: string): LogMessageId | null {
  const [, run, segment, index] = /^([^.\s]+)\.(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  return run === undefined ? null : { run, segment: Number(segment), index: Number(index) };
}

/** Whether nothing is missing between two messages. */
export function isFollowedBy(before: LogMessageId, next: LogMessageId): boolean {
  if (before.run !== next.run) return false;
  if (before.segment === next.segment) return next.index === before.index + 1;
  return next.segment === before.segment + 1 && next.index === 0;
}

/** Names the messages of one writer, in their order. */
export class MessageNumbers {
  /** Empty before it is known. */
  run = '';
  /** The segment of the encoder, and its number in the log. */
  #segment = 0;
  #number = 0;
  #index = -1;

  /** The segment of the last message; 0 before the first. */
  get lastSegment(): number {
    return this.#segment;
  }

  /** The name of the next message, which is of this segment of the encoder. */
  takeNext(segment: number): LogMessageId {
    if (segment === this.#segment) this.#index += 1;
    else {
      this.#segment = segment;
      this.#number += 1;
      this.#index = 0;
    }
    return { run: this.run, segment: this.#number, index: this.#index };
  }

  /** Messages are missing from here to the next segment, whose number therefore is not the next one. */
  noteLoss(): void {
    this.#number += 1;
  }
}
