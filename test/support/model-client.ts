/** A reader of streaming topics over a real socket: faults are listed and not repaired. */
import { WebSocket } from 'ws';
import type { Frame, ModelBook } from './model-book.js';
import { type Answer, isFrame, StreamFollower } from './stream-follower.js';
import { until } from './until.js';

/** One socket and its topics. */
export class ModelClient {
  readonly follower = new StreamFollower();
  /** Faults with their topics. */
  readonly faults: string[] = [];
  /** Messages other than a topic's frames, in order. */
  readonly answers: Answer[] = [];
  /** The topic and type of every message, in order: `subscribed`, `snapshot`, `delta` and so on. */
  readonly order: string[] = [];
  /** Snapshots with `reset`. */
  resets = 0;
  bytes = 0;
  /** Called for every message after it was applied. */
  onData: (data: Buffer, message: Frame | Answer) => void = () => {};
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #id = 0;

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.follower.onFault = (topic, { message }) => void this.faults.push(`${topic}: ${message}`);
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
  async subscribe(request: object): Promise<string> {
    this.#id += 1;
    const id = this.#id;
    this.send({ type: 'subscribe', id, ...request });
    const answer = await this.#answerTo(id);
    if (answer.type !== 'subscribed') throw new Error(JSON.stringify(answer));
    return String(answer['topic']);
  }

  /** Subscribes, and waits for the first frame. */
  async follow(request: object): Promise<ModelBook> {
    const topic = await this.subscribe(request);
    await until(`a frame of ${topic}`, () => this.books.has(topic));
    return this.book(topic);
  }

  /** Waits for the replies to all sent messages, and for the frames published before. */
  async settle(): Promise<void> {
    this.#id += 1;
    const id = this.#id;
    this.send({ type: 'ping', id });
    await this.#answerTo(id);
  }

  get books(): Map<string, ModelBook> {
    return this.follower.books;
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
    const message = this.follower.take(isBinary ? data : data.toString());
    const { type, topic } = message;
    this.order.push(topic === undefined ? type : `${type} ${topic}`);
    if (!isFrame(message)) this.answers.push(message);
    else if (message['reset'] === true) this.resets += 1;
    this.onData(data, message);
  }
}
