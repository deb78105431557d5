/**
 * The follower of streaming topics outside the library, written from docs/streaming.md: it keeps a {@link ModelBook} a
 * topic, checks each frame, and reports what did not fit. It does not know how messages travel: `connect` gives it what
 * sends, and its owner calls `take` for each message, be it of a real socket or of the simulation.
 */
import { FrameDecoder } from '../../src/client/binary/index.js';
import { type Fault, type Frame, ModelBook, ModelFault } from './model-book.js';

/** A subscription to a streaming topic. */
export interface StreamRequest {
  readonly channel: 'book' | 'bbo' | 'l3';
  readonly market: string;
  readonly depth?: number;
  readonly grouping?: number;
  readonly maker?: string;
  readonly [member: string]: unknown;
}

/** Any message of the service that is no frame of a topic. */
export interface Answer {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A topic that is followed over faults and connections. */
export class Followed {
  /** Null until it was acknowledged once. */
  book: ModelBook | null = null;
  /** Whether the book is as it was at its seq. */
  isWhole = false;
  /** The request that is not acknowledged yet: frames that come before are of the time before it. */
  awaited: number | null = null;

  constructor(readonly request: StreamRequest) {}

  /** Whether the book can be used now. */
  get isFollowing(): boolean {
    return this.awaited === null && this.isWhole;
  }
}

/** These faults are detected before the book changes, so the book stays valid. */
const LEAVE_BOOK_WHOLE: readonly Fault[] = ['gap', 'epoch'];

/** Holds the books of all topics of one client. */
export class StreamFollower {
  /** By topic. */
  readonly books = new Map<string, ModelBook>();
  readonly followed: Followed[] = [];
  /** Of frames as bytes; a client that resumes has that of the one before. */
  decoder = new FrameDecoder();
  /** Whether a delta may follow a frame before the last one, as after a replay. */
  linkedBy: 'one' | 'any' = 'one';
  /** Called after a frame was applied, also where it did not fit. */
  onFrame: (frame: Frame) => void = () => {};
  /** Called with a fault. A followed topic is then subscribed again. */
  onFault: (topic: string, fault: ModelFault) => void = () => {};
  #send: (text: string) => void = () => {};
  #nextId = 1;

  /** Subscribes to all topics that are followed on a new connection, each from where its book is. */
  connect(send: (text: string) => void): void {
    this.#send = send;
    for (const followed of this.followed) this.subscribe(followed);
  }

  /** Follows the topic from now on: faults are repaired. */
  follow(request: StreamRequest): Followed {
    const followed = new Followed(request);
    this.followed.push(followed);
    return followed;
  }

  /** Asks for the topic from where its book is, or for a snapshot. */
  subscribe(followed: Followed): void {
    const { request, book, isWhole } = followed;
    const resume = isWhole && book !== null ? { resume: { epoch: book.epoch, seq: book.seq } } : {};
    followed.awaited = this.#nextId;
    this.#nextId += 1;
    const message = { type: 'subscribe', id: followed.awaited, ...request, ...resume };
    this.#send(JSON.stringify(message));
  }

  /** Handles a message, text or bytes. Returns its content. */
  take(data: string | Uint8Array): Frame | Answer {
    const message: Frame | Answer =
      typeof data === 'string' ? JSON.parse(data) : this.decoder.decodeFrame(data);
    if (isFrame(message)) this.#apply(message);
    else if (message.type === 'subscribed') this.#acknowledge(message);
    // Later frames of the topic are faults, because it has no book.
    else if (message.type === 'unsubscribed') this.books.delete(String(message['topic']));
    return message;
  }

  #acknowledge({ id, topic }: Answer): void {
    const followed = this.followed.find(({ awaited }) => awaited !== null && awaited === id);
    if (followed === undefined) return;
    followed.awaited = null;
    followed.book = this.#bookOf(String(topic));
    // Changes of state alone may come again after a resume.
    followed.book.state = '';
  }

  #apply(frame: Frame): void {
    const followed = this.followed.find(({ book }) => book?.topic === frame.topic);
    if (followed !== undefined && followed.awaited !== null) return;
    const fault = faultOf(this.#bookOf(frame.topic), frame);
    if (followed !== undefined) {
      const isLeft = fault !== null && LEAVE_BOOK_WHOLE.includes(fault.fault);
      followed.isWhole = fault === null || (followed.isWhole && isLeft);
    }
    if (fault !== null) {
      this.onFault(frame.topic, fault);
      if (followed !== undefined) this.subscribe(followed);
    }
    this.onFrame(frame);
  }

  #bookOf(topic: string): ModelBook {
    const book = this.books.get(topic) ?? new ModelBook(topic, this.linkedBy);
    this.books.set(topic, book);
    return book;
  }
}

function faultOf(book: ModelBook, frame: Frame): ModelFault | null {
  try {
    book.apply(frame);
    return null;
  } catch (error) {
    if (error instanceof ModelFault) return error;
    throw error;
  }
}

/** Whether a message is a frame of a topic. */
export function isFrame(message: Frame | Answer): message is Frame {
  return ['snapshot', 'delta', 'heartbeat'].includes(message.type);
}
