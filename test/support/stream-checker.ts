/** Compares stream readers' books with /l2 and /l3 at one seq, while the book changes. */
import type { Frame, LevelRow, ModelBook, OrderRow } from './model-book.js';
import { ModelClient } from './model-client.js';
import type { StreamRequest } from './stream-follower.js';
import { until } from './until.js';

/** Moments kept of a topic: a comparison looks back at most by the time of an HTTP answer. */
const MOMENTS_MAX = 512;

/** Both sides as they were at a seq. */
interface Moment {
  readonly epoch: string;
  readonly seq: number;
  readonly bids: readonly (LevelRow | OrderRow)[];
  readonly asks: readonly (LevelRow | OrderRow)[];
}

/** The members of an /l2 or /l3 body that tests read. */
interface Body {
  readonly epoch: string;
  readonly seq: number;
  readonly bids: readonly BodyRow[];
  readonly asks: readonly BodyRow[];
}

type BodyRow = OrderRow & { readonly sources: Record<string, string> };

/** The results of the comparisons. */
interface CheckCounts {
  /** Comparisons with the book that a topic must have had, and those where it may have had another. */
  readonly compared: number;
  readonly passed: number;
  /** How often every topic was compared while the books moved. */
  readonly rounds: number;
  readonly differences: readonly string[];
}

/** A followed topic with its last moments. */
class Followed {
  readonly moments: Moment[] = [];
  compared = 0;

  constructor(
    readonly request: StreamRequest,
    readonly book: ModelBook,
  ) {
    this.keep();
  }

  /** The newest of the moments, of which there is always one. */
  get last(): Moment {
    return this.moments.at(-1) as Moment;
  }

  /**
   * The moment that a body must be equal to: that of its seq or, if the topic had none because it shows
   * the same as before, the one before. Undefined when its frame may not have been made.
   */
  momentOf(body: Body): Moment | undefined {
    const { epoch, seq } = body;
    const newest = this.moments.findLast((one) => one.epoch === epoch && one.seq <= seq);
    if (newest === undefined || newest.seq === seq) return newest;
    return rowsAt(newest) === rowsOf(this.request.channel, body) ? newest : undefined;
  }

  keep(): void {
    const { epoch = '', seq } = this.book;
    const { bids, asks } = this.request.channel === 'l3' ? this.book.orders : this.book.levels;
    this.moments.push({ epoch, seq, bids: [...bids], asks: [...asks] });
    if (this.moments.length > MOMENTS_MAX) this.moments.splice(0, MOMENTS_MAX / 2);
  }
}

/** One client that follows topics, and the comparisons of each with its path. */
export class StreamChecker {
  readonly #followed = new Map<string, Followed>();
  readonly #differences: string[] = [];
  #passed = 0;
  #rounds = 0;
  #listener: (frame: Frame) => void = () => {};

  private constructor(
    private readonly url: string,
    readonly client: ModelClient,
  ) {
    client.follower.onFrame = (frame: Frame) => {
      if (frame.type !== 'heartbeat') this.#followed.get(frame.topic)?.keep();
      this.#listener(frame);
    };
  }

  static async open(url: string): Promise<StreamChecker> {
    const client = await ModelClient.open(`${url.replace('http', 'ws')}/ws`);
    return new StreamChecker(url, client);
  }

  /** Calls back for every frame, after the book is changed. */
  listen(listener: (frame: Frame) => void): void {
    this.#listener = listener;
  }

  async follow(request: StreamRequest): Promise<void> {
    const book = await this.client.follow(request);
    this.#followed.set(book.topic, new Followed(request, book));
  }

  get counts(): CheckCounts {
    const compared = [...this.#followed.values()].reduce((sum, one) => sum + one.compared, 0);
    const [passed, rounds] = [this.#passed, this.#rounds];
    return { compared, passed, rounds, differences: this.#differences };
  }

  /** The topic that was compared least often, and how often. */
  get least(): { readonly topic: string; readonly compared: number } {
    const all = [...this.#followed].map(([topic, { compared }]) => ({ topic, compared }));
    return all.reduce((least, one) => (one.compared < least.compared ? one : least));
  }

  /** Compares every topic once, at whatever seq its path answers. */
  async compareMoving(): Promise<void> {
    this.#rounds += 1;
    const topics = [...this.#followed];
    const read = topics.map(async ([topic, followed]) => {
      return { topic, followed, body: await this.#bodyOf(followed.request) };
    });
    const compared = await Promise.all(read);
    // All frames published before the bodies have arrived when this resolves.
    await this.client.settle();
    for (const { topic, followed, body } of compared) {
      const moment = followed.momentOf(body);
      if (moment === undefined) this.#passed += 1;
      else this.#compare(topic, followed, moment, body);
    }
  }

  /**
   * Compares every topic with its path once nothing moves any more: then every one must become equal.
   * The last change of a topic may have to wait for the end of its interval.
   */
  async compareAtRest(): Promise<void> {
    for (const [topic, followed] of this.#followed) {
      const body = await this.#bodyOf(followed.request);
      const { epoch, seq } = body;
      const shown = rowsOf(followed.request.channel, body);
      const isThere = ({ last }: Followed): boolean =>
        last.epoch === epoch && (last.seq >= seq || rowsAt(last) === shown);
      await until(`${topic} to be as at ${epoch} ${seq}: ${shown}`, () => isThere(followed));
      const { last } = followed;
      if (last.seq > seq) this.#differences.push(`${topic} is at ${last.seq}, beyond its path`);
      this.#compare(topic, followed, last, body);
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  #compare(topic: string, followed: Followed, moment: Moment, body: Body): void {
    followed.compared += 1;
    const shown = rowsOf(followed.request.channel, body);
    const read = rowsAt(moment);
    if (read === shown) return;
    const [here, there] = [moment, body].map(({ epoch, seq }) => `${epoch} ${seq}`);
    this.#differences.push(`${topic}: read at ${here} ${read}, shown at ${there} ${shown}`);
  }

  async #bodyOf(request: StreamRequest): Promise<Body> {
    const { channel, market, depth, grouping, maker } = request;
    const query = new URLSearchParams({ marketName: market });
    query.set('depth', String(channel === 'bbo' ? 1 : (depth ?? 50)));
    if (grouping !== undefined) query.set('grouping', String(grouping));
    if (maker !== undefined) query.set('maker', maker);
    for (const source of ['includeVamm', 'includeIndicative']) {
      if (request[source] === true) query.set(source, 'true');
    }
    const answer = await fetch(`${this.url}/${channel === 'l3' ? 'l3' : 'l2'}?${query}`);
    if (answer.status !== 200) throw new Error(await answer.text());
    return (await answer.json()) as Body;
  }
}

/** The rows of a reader at a moment. */
function rowsAt({ bids, asks }: Moment): string {
  return JSON.stringify([bids, asks]);
}

/** The rows of a body as a reader of the channel has them. */
export function rowsOf(
  channel: StreamRequest['channel'],
  { bids, asks }: Pick<Body, 'bids' | 'asks'>,
): string {
  if (channel === 'l3') return JSON.stringify([bids, asks]);
  const rows = (side: readonly BodyRow[]) =>
    side.map(({ price, size, sources }) => [price, size, channel === 'bbo' ? {} : sources]);
  return JSON.stringify([rows(bids), rows(asks)]);
}
