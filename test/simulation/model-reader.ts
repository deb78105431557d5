/** A client that follows streaming topics as docs/streaming.md says, and states every hole in them. */
import {
  type Answer,
  type Followed,
  StreamFollower,
  type StreamRequest,
} from '../support/stream-follower.js';
import { currentMachine } from './globals.js';
import { type ClientConnection, type ClientEnd, openPort } from './stand-ins/uws.js';
import type { PlannedEvent } from './virtual-time.js';

/** The longest pause before the next try to connect. */
const PAUSE_MS_MAX = 1_000;
/** Without a frame of a topic for so long the connection is dead; the documents say three seconds. */
const SILENT_MS_MAX = 3_000;
const WATCH_MS = 500;
/** A subscription that found no book is repeated after this time. */
const NOT_READY_MS = 1_000;

/** What a reader reports. */
interface ReaderListener {
  /** A frame did not fit, or none came for too long. */
  onViolation(text: string): void;
}

/** One client. It reads until it is told to stop for a while. */
export class ModelReader implements ClientEnd {
  readonly ip: string;
  readonly #listener: ReaderListener;
  readonly #follower = new StreamFollower();
  /** When each topic had its last frame, or was subscribed to. */
  readonly #frameAtMs = new Map<string, number>();
  #connection: ClientConnection | null = null;
  #isReading = true;
  #retry: PlannedEvent | null = null;
  /** Frames applied. */
  frames = 0;
  /** Connections that ended. */
  closes = 0;

  constructor(options: {
    ip: string;
    requests: readonly StreamRequest[];
    listener: ReaderListener;
  }) {
    this.ip = options.ip;
    this.#listener = options.listener;
    for (const request of options.requests) this.#follower.follow(request);
    this.#follower.onFrame = ({ topic }) => {
      this.frames += 1;
      this.#frameAtMs.set(topic, currentMachine().time.nowMs);
    };
    this.#follower.onFault = (topic, { message }) => {
      this.#listener.onViolation(`a frame of ${topic} did not fit: ${message}`);
    };
  }

  start(): void {
    this.#connect();
    this.#planWatch();
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  /** The first topic that it does not follow; null when it follows all. */
  get notFollowing(): StreamRequest | null {
    return this.followed.find(({ isFollowing }) => !isFollowing)?.request ?? null;
  }

  /** The topics with their books. */
  get followed(): readonly Followed[] {
    return this.#follower.followed;
  }

  /** Reads nothing for a while. */
  stopReading(pauseMs: number): void {
    this.#isReading = false;
    this.#connection?.setReading(false);
    currentMachine().time.plan(pauseMs, () => {
      this.#isReading = true;
      this.#noteFrames();
      this.#connection?.setReading(true);
    });
  }

  /** Closes its connection and comes back. */
  reconnect(): void {
    this.#connection?.close();
    this.receiveClose(1000);
  }

  /** Is gone without a word, and comes back on another connection. */
  vanish(): void {
    this.#connection?.vanish();
    this.receiveClose(1006);
  }

  receiveMessage(text: string): void {
    const message = this.#follower.take(text);
    if (message.type === 'subscribed') {
      this.#frameAtMs.set(String(message['topic']), currentMachine().time.nowMs);
    }
    if (message.type === 'error' && !this.#handleEnd(message as Answer))
      this.#handleError(message as Answer);
  }

  receiveClose(_code: number): void {
    if (this.#connection === null) return;
    this.#connection = null;
    this.closes += 1;
    this.#planConnect();
  }

  #planConnect(): void {
    this.#retry?.cancel();
    const { time, random } = currentMachine();
    this.#retry = time.plan(1 + random.nextBelow(PAUSE_MS_MAX), () => this.#connect());
  }

  #connect(): void {
    const port = openPort();
    if (port === null) {
      this.#planConnect();
      return;
    }
    // What a connection before this one still delivers is not read.
    const connection = port.connect({
      ip: this.ip,
      receiveMessage: (text) => {
        if (this.#connection === connection) this.receiveMessage(text);
      },
      receiveClose: (code) => {
        if (this.#connection === connection) this.receiveClose(code);
      },
    });
    this.#connection = connection;
    connection.setReading(this.#isReading);
    this.#noteFrames();
    this.#follower.connect((text) => connection.sendMessage(text));
  }

  /** A topic ends when its market gets another name; it is followed by what was asked for. False for another error. */
  #handleEnd({ code, topic, message }: Answer): boolean {
    const ended = this.followed.find(({ book }) => book?.topic === topic);
    if (
      code !== 'UNKNOWN_MARKET' ||
      ended === undefined ||
      !/ is (now|no longer) /.test(`${message}`)
    )
      return false;
    this.#follower.books.delete(`${topic}`);
    ended.book = null;
    ended.isWhole = false;
    this.#follower.subscribe(ended);
    return true;
  }

  #handleError({ code, id }: Answer): void {
    const followed = this.followed.find(({ awaited }) => awaited === id);
    if (followed === undefined || (code !== 'NOT_READY' && code !== 'UNKNOWN_MARKET')) {
      this.#listener.onViolation(`a reader got the error ${code}`);
      return;
    }
    const connection = this.#connection;
    currentMachine().time.plan(NOT_READY_MS, () => {
      if (this.#connection === connection) this.#follower.subscribe(followed);
    });
  }

  #planWatch(): void {
    currentMachine().time.plan(WATCH_MS, () => {
      this.#planWatch();
      if (this.#connection !== null && this.#isReading) this.#checkSilence();
    });
  }

  #checkSilence(): void {
    const { nowMs } = currentMachine().time;
    const isSilent = ({ awaited, book }: Followed): boolean => {
      const frameAtMs = this.#frameAtMs.get(book?.topic ?? '') ?? nowMs;
      return awaited === null && nowMs - frameAtMs > SILENT_MS_MAX;
    };
    const silent = this.followed.find(isSilent);
    if (silent === undefined) return;
    this.#listener.onViolation(`no frame of ${silent.book?.topic} came for ${SILENT_MS_MAX} ms`);
    this.vanish();
  }

  #noteFrames(): void {
    for (const topic of this.#follower.books.keys()) {
      this.#frameAtMs.set(topic, currentMachine().time.nowMs);
    }
  }
}
