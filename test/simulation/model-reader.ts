/** A client that follows streaming topics as docs/streaming.md says, and states every hole in them. */
import { type Frame, ModelBook, ModelFault } from '../support/model-book.js';
import { currentMachine } from './globals.js';
import { type ClientConnection, type ClientEnd, openPort } from './stand-ins/uws.js';
import type { PlannedEvent } from './virtual-time.js';

/** A topic to follow. */
export interface ReaderWish {
  readonly channel: 'book' | 'bbo' | 'l3';
  readonly market: string;
  readonly depth?: number;
}

/** The longest pause before the next try to connect. */
const PAUSE_MS_MAX = 1_000;
/** Without a frame of a topic for so long the connection is dead; the documents say three seconds. */
const SILENT_MS_MAX = 3_000;
const WATCH_MS = 500;
/** A subscription that found no book is repeated after this time. */
const NOT_READY_MS = 1_000;

interface Followed {
  readonly wish: ReaderWish;
  /** Null until the first frame; kept over connections, to go on from there. */
  book: ModelBook | null;
  /** The id of the subscription under way. */
  id: number;
  isAcknowledged: boolean;
  frameAtMs: number;
}

/** What a reader reports. */
export interface ReaderListener {
  /** A frame did not fit, or none came for too long. */
  onViolation(text: string): void;
}

/** One client. It reads until it is told to stop for a while. */
export class ModelReader implements ClientEnd {
  readonly ip: string;
  readonly #listener: ReaderListener;
  readonly #followed: readonly Followed[];
  #connection: ClientConnection | null = null;
  #isReading = true;
  #nextId = 1;
  #retry: PlannedEvent | null = null;
  /** Frames applied. */
  frames = 0;
  /** Connections that ended. */
  closes = 0;

  constructor(options: { ip: string; wishes: readonly ReaderWish[]; listener: ReaderListener }) {
    this.ip = options.ip;
    this.#listener = options.listener;
    this.#followed = options.wishes.map((wish) => {
      return { wish, book: null, id: 0, isAcknowledged: false, frameAtMs: 0 };
    });
  }

  start(): void {
    this.#connect();
    this.#planWatch();
  }

  /** Whether it follows all topics, and the first that it does not. */
  get notFollowing(): ReaderWish | null {
    const missing = this.#followed.find(({ book, isAcknowledged }) => {
      return book === null || !isAcknowledged;
    });
    return missing?.wish ?? null;
  }

  /** The books by their wishes. */
  get books(): readonly { readonly wish: ReaderWish; readonly book: ModelBook | null }[] {
    return this.#followed;
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
    const message = JSON.parse(text) as Frame & { readonly id?: number; readonly code?: string };
    const { type, topic, id } = message as { type: string; topic?: string; id?: number };
    if (type === 'subscribed') this.#acknowledge(id ?? 0, topic ?? '');
    else if (type === 'error') this.#handleError(message);
    else if (topic !== undefined) this.#applyFrame(message);
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
    for (const followed of this.#followed) this.#subscribe(followed);
  }

  #subscribe(followed: Followed): void {
    const { wish, book } = followed;
    followed.id = this.#nextId;
    followed.isAcknowledged = false;
    this.#nextId += 1;
    const resume = book === null ? {} : { resume: { epoch: book.epoch, seq: book.seq } };
    const message = { type: 'subscribe', id: followed.id, ...wish, ...resume };
    this.#connection?.sendMessage(JSON.stringify(message));
  }

  #acknowledge(id: number, topic: string): void {
    const followed = this.#followed.find((one) => one.id === id);
    if (followed === undefined) return;
    followed.isAcknowledged = true;
    followed.book ??= new ModelBook(topic);
    // Changes of state alone may come again after a resume.
    followed.book.state = '';
    followed.frameAtMs = currentMachine().time.nowMs;
  }

  #handleError({ code, id }: { readonly code?: string; readonly id?: number }): void {
    const followed = this.#followed.find((one) => one.id === id);
    if (followed === undefined || (code !== 'NOT_READY' && code !== 'UNKNOWN_MARKET')) {
      this.#listener.onViolation(`a reader got the error ${code}`);
      return;
    }
    const connection = this.#connection;
    currentMachine().time.plan(NOT_READY_MS, () => {
      if (this.#connection === connection) this.#subscribe(followed);
    });
  }

  #applyFrame(frame: Frame): void {
    const followed = this.#followed.find(({ book }) => book?.topic === frame.topic);
    if (followed?.book == null || !followed.isAcknowledged) return;
    followed.frameAtMs = currentMachine().time.nowMs;
    this.frames += 1;
    try {
      followed.book.apply(frame);
    } catch (error) {
      if (!(error instanceof ModelFault)) throw error;
      this.#listener.onViolation(`a frame of ${frame.topic} did not fit: ${error.message}`);
      followed.book = null;
      this.#subscribe(followed);
    }
  }

  #planWatch(): void {
    currentMachine().time.plan(WATCH_MS, () => {
      this.#planWatch();
      if (this.#connection !== null && this.#isReading) this.#checkSilence();
    });
  }

  #checkSilence(): void {
    const { nowMs } = currentMachine().time;
    const isSilent = ({ isAcknowledged, frameAtMs }: Followed): boolean =>
      isAcknowledged && nowMs - frameAtMs > SILENT_MS_MAX;
    const silent = this.#followed.find(isSilent);
    if (silent === undefined) return;
    this.#listener.onViolation(`no frame of ${silent.book?.topic} came for ${SILENT_MS_MAX} ms`);
    this.vanish();
  }

  #noteFrames(): void {
    for (const followed of this.#followed) followed.frameAtMs = currentMachine().time.nowMs;
  }
}
