/**
 * A reader of streaming topics over a real socket: it keeps a {@link ModelBook} a topic, and what was
 * wrong with any frame. It does not heal itself: what is wrong stays in its list.
 */
import { WebSocket } from 'ws';
import { FrameDecoder } from '../../src/client/binary/index.js';
import { type Frame, ModelBook } from './model-book.js';
import { until } from './until.js';

/** Any message of the service that is no frame of a topic. */
export interface Answer {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** One socket and its topics. */
export class ModelClient {
  readonly books = new Map<string, ModelBook>();
  /** What did not fit, with the topic. */
  readonly faults: string[] = [];
  /** What is no frame of a topic, in order. */
  readonly answers: Answer[] = [];
  /** The topic and type of every message, in order: `subscribed`, `snapshot`, `delta` and so on. */
  readonly order: string[] = [];
  /** Snapshots that told to forget what was there. */
  resets = 0;
  bytes = 0;
  /** Of frames as bytes; a client that resumes has that of the one before. */
  decoder = new FrameDecoder();
  /** What is called for every message as it came. */
  onData: (data: Buffer, message: Frame | Answer) => void = () => {};
  /** Whether a delta may link to a frame before the last one, as behind a replay. */
  linkedBy: 'one' | 'any' = 'one';
  /** What is called for every frame. */
  onFrame: (frame: Frame) => void = () => {};
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #id = 0;

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('error', () => {});
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#take(data, isBinary));
  }

  static async open(url: string): Promise<ModelClient> {
    const socket = new WebSocket(url);
    const client = new ModelClient(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return client;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Subscribes; answers the topic's name once it is acknowledged. */
  async subscribe(wish: object): Promise<string> {
    this.#id += 1;
    const id = this.#id;
    this.send({ type: 'subscribe', id, ...wish });
    const answer = await this.#answerTo(id);
    if (answer.type !== 'subscribed') throw new Error(JSON.stringify(answer));
    return String(answer['topic']);
  }

  /** Subscribes, and waits for the first frame. */
  async follow(wish: object): Promise<ModelBook> {
    const topic = await this.subscribe(wish);
    await until(`a frame of ${topic}`, () => this.books.has(topic));
    return this.book(topic);
  }

  /** Waits until what was sent before has been answered, and what was published before has come. */
  async settle(): Promise<void> {
    this.#id += 1;
    const id = this.#id;
    this.send({ type: 'ping', id });
    await this.#answerTo(id);
  }

  book(topic: string): ModelBook {
    const book = this.books.get(topic);
    if (book === undefined) throw new Error(`there was no frame of ${topic}`);
    return book;
  }

  async close(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }

  async #answerTo(id: number): Promise<Answer> {
    const find = (): Answer | undefined => this.answers.find((answer) => answer['id'] === id);
    await until(`the answer to ${id}`, () => find() !== undefined);
    return find() as Answer;
  }

  #take(data: Buffer, isBinary: boolean): void {
    this.bytes += data.length;
    const message = (isBinary ? this.decoder.decodeFrame(data) : JSON.parse(data.toString())) as
      | Frame
      | Answer;
    this.onData(data, message);
    const { type, topic } = message;
    this.order.push(topic === undefined ? type : `${type} ${topic}`);
    if (isFrame(message)) this.#apply(message);
    else this.answers.push(message);
    // What comes of the topic after this has no book, which is a fault.
    if (type === 'unsubscribed') this.books.delete(String(topic));
  }

  #apply(frame: Frame): void {
    const { topic } = frame;
    const book = this.books.get(topic) ?? new ModelBook(topic, this.linkedBy);
    this.books.set(topic, book);
    if (frame['reset'] === true) this.resets += 1;
    try {
      book.apply(frame);
    } catch (error) {
      this.faults.push(`${topic}: ${(error as Error).message}`);
    }
    this.onFrame(frame);
  }
}

function isFrame(message: Frame | Answer): message is Frame {
  return ['snapshot', 'delta', 'heartbeat'].includes(message.type);
}
