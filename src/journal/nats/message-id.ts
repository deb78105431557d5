/**
 * The name of a log message, which reveals missing messages: run of the writer, segment, and index
 * in the segment. It is the message's `Nats-Msg-Id`.
 */
export interface LogMessageId {
  /** The run of a writer, named by the epoch with which it began. */
  readonly run: string;
  /** From 1 in each run. */
  readonly segment: number;
  /** From 0 in each segment. */
  readonly index: number;
}

/** The name as text. */
export function textOfId({ run, segment, index }: LogMessageId): string {
  return `${run}.${segment}.${index}`;
}

/** Parses an id, with or without a seal; null for an invalid id. */
export function parseId(text: string): LogMessageId | null {
  const [, run, segment, index] =
    /^([^.\s]+)\.(\d{1,15})\.(\d{1,15})(?:\.[\w-]{22})?$/.exec(text) ?? [];
  return run === undefined ? null : { run, segment: Number(segment), index: Number(index) };
}

/** Whether no message is missing between two. */
export function isFollowedBy(before: LogMessageId, next: LogMessageId): boolean {
  if (before.run !== next.run) return false;
  if (before.segment === next.segment) return next.index === before.index + 1;
  return next.segment === before.segment + 1 && next.index === 0;
}

/** Numbers the messages of one writer. */
export class MessageNumbers {
  /** Empty until known. */
  run = '';
  /** The encoder's number of the segment, which differs from its number in the log. */
  #segment = 0;
  #number = 0;
  #index = -1;

  /** The segment of the last message; 0 before the first. */
  get lastSegment(): number {
    return this.#segment;
  }

  takeNext(segment: number): LogMessageId {
    if (segment === this.#segment) this.#index += 1;
    else {
      this.#segment = segment;
      this.#number += 1;
      this.#index = 0;
    }
    return { run: this.run, segment: this.#number, index: this.#index };
  }

  /**
   * Records that messages are missing before the next segment, whose number therefore skips one.
   */
  noteLoss(): void {
    this.#number += 1;
  }
}
