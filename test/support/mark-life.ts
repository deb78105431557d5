/**
 * One random life of a book, in two processes that apply the same log with the same marks, while topics
 * are opened and closed in each of them at other times. The second one gets the calls of the first, or
 * reads its journal.
 */
import { expect } from 'vitest';
import { LIMITS } from '../../src/config/limits.js';
import type { MakerQuotes } from '../../src/contract/indicative.js';
import type { PublishMark } from '../../src/contract/publish-mark.js';
import type { TopicSpec } from '../../src/contract/topics.js';
import { Engine } from '../../src/engine/engine.js';
import { JournalReader } from '../../src/engine/journal-reader.js';
import { JournalWriter } from '../../src/engine/journal-writer.js';
import { PublishMarks } from '../../src/feed/model/publish-marks.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { Publisher } from '../../src/server/sockets/publisher.js';
import type { StreamTopic } from '../../src/server/sockets/stream-topic.js';
import { StreamTopics } from '../../src/server/sockets/stream-topics.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { MarketSimulator } from '../../src/sim/market/market-simulator.js';
import { Random } from '../../src/sim/random.js';
import { type Frame, ModelBook } from './model-book.js';

const START_SLOT = 350_000_000;
const START_S = 1_750_000_000;
/** Beyond so many, idle topics close. */
const TOPICS_MAX = 5;
/** Time between two turns: within the shortest interval, and beyond the longest. */
const PAUSES_MS = [0, 1, 3, 3, 12, 60, 300, 1_200, 6_000];
const STATES = ['live', 'live', 'lagging', 'stale', 'rebuilding'] as const;

/** A topic's state for a reader of another process's frames. */
interface Reading {
  readonly key: string;
  readonly topic: StreamTopic;
  /** The mark that its snapshot shows; undefined before it has begun. */
  beganAt: number | undefined;
  book: ModelBook | undefined;
}

/** One process: the engine, and the streaming channels as the service has them. */
class Process {
  readonly engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
  readonly readings = new Map<string, Reading>();
  /** Frames of the last mark by topic. */
  frames = new Map<string, string>();
  marks = 0;
  readonly publisher: Publisher;
  readonly streams: StreamTopics;

  constructor(sliceMs: number) {
    this.publisher = new Publisher({
      ...{ timers: systemTimers, sliceMs },
      publish: (key, bytes) => void this.frames.set(key, bytes.toString()),
      onFault: (error) => {
        throw error;
      },
    });
    this.streams = new StreamTopics({
      ...{ book: this.engine, directory: this.engine, topicsMax: TOPICS_MAX },
      publisher: this.publisher,
    });
  }

  /** The engine, to be moved now: the frames of the last turn are made first. */
  moveBook(): Engine {
    this.publisher.finishMark();
    return this.engine;
  }

  /** Opens a topic, or closes it where it is open. */
  toggleTopic(spec: TopicSpec): void {
    const key = this.engine.topicName(spec);
    const open = this.readings.get(key);
    if (open !== undefined) {
      this.readings.delete(key);
      this.streams.removeSubscriber(open.topic);
      return;
    }
    const topic = this.streams.addSubscriber({ key, spec });
    const reading: Reading = { key, topic, beganAt: undefined, book: undefined };
    this.readings.set(key, reading);
    if (topic.isUnmarked) topic.waiting.add(() => this.#begin(reading));
    else {
      this.publisher.finishMark();
      this.#begin(reading);
    }
  }

  #begin(reading: Reading): void {
    const frame = reading.topic.renderSnapshot({ id: '', reset: false });
    reading.book = new ModelBook(reading.key, 'any');
    reading.book.apply(JSON.parse(frame.toString()) as Frame);
    reading.beganAt = this.marks;
  }
}

type Turn = ReturnType<Engine['endTurn']>;

/** The journal of one engine, as another one reads it turn by turn. */
class JournalLink {
  readonly #writer = new JournalWriter(PROGRAM_ID);
  #reader = new JournalReader(PROGRAM_ID);
  #segment = 1;

  constructor(
    readonly from: Engine,
    readonly to: Engine,
  ) {
    from.turnLog.start();
  }

  /** Brings the last turn over, with its mark; undefined where it had nothing in it. */
  moveTurn(mark: PublishMark, tsMs: number): { turn: Turn; mark: PublishMark } | undefined {
    this.from.turnLog.markPublished(mark);
    const log = this.from.turnLog.take();
    if (log === null) return undefined;
    this.#writer.append(log, tsMs);
    this.#writer.flush();
    const turns: { turn: Turn; mark: PublishMark }[] = [];
    for (const { segment, bytes } of this.#writer.takePieces()) {
      if (segment !== this.#segment) this.#beginSegment(segment);
      this.#reader.pushBytes(bytes);
      for (;;) {
        const step = this.to.readJournal(this.#reader);
        if (step.kind === 'moreBytes') break;
        if (step.kind === 'turn') turns.push(step);
      }
    }
    expect(turns).toHaveLength(1);
    return turns[0];
  }

  /** Another epoch starts a segment, which continues from the engine's state. */
  #beginSegment(segment: number): void {
    this.#segment = segment;
    this.#reader = new JournalReader(PROGRAM_ID);
    this.#reader.resume();
  }
}

/** The result of a scenario. */
interface MarkLifeCounts {
  /** Frames that both processes sent. */
  readonly compared: number;
  /** The frames with differing `prev`. */
  readonly otherLinks: number;
}

/** Runs a life; throws where the processes departed from each other. */
export class MarkLife {
  readonly #random: Random;
  readonly #life: MarketSimulator;
  readonly #processes: readonly [Process, Process];
  readonly #marks: PublishMarks;
  readonly #journal: JournalLink | undefined;
  #specs: readonly TopicSpec[] = [];
  #nowMs = 1_000;
  #slot = START_SLOT;
  #epochs = 1;
  #compared = 0;
  #otherLinks = 0;

  constructor(readonly seed: number) {
    this.#random = new Random(seed);
    this.#life = new MarketSimulator({ seed, makers: this.#random.nextBetween(2, 8) });
    // One process renders all frames immediately, the other at the last moment.
    this.#processes = [new Process(60_000), new Process(-1)];
    this.#marks = new PublishMarks({
      streamIntervalMs: this.#random.pickOne([0, 10, 10, 50]) ?? 10,
      // What has to wait goes out with a later turn: there is always another one.
      timers: { nowMs: () => this.#nowMs, after: () => ({ cancel: () => undefined }) },
      onDue: () => undefined,
    });
    const [first, second] = this.#processes;
    if (seed % 2 === 1) this.#journal = new JournalLink(first.engine, second.engine);
  }

  run(): MarkLifeCounts {
    this.#each((process) => process.moveBook().setState('live'));
    this.#pushWrites(this.#life.createGenesis(this.#clock));
    this.#endTurn();
    this.#specs = Array.from({ length: 8 }, () => this.#newSpec());
    const turns = this.#random.nextBetween(20, 40);
    for (let turn = 0; turn < turns; turn += 1) this.#liveTurn();
    this.#endTurn();
    for (const { publisher } of this.#processes) publisher.stop();
    return { compared: this.#compared, otherLinks: this.#otherLinks };
  }

  get #clock(): { slot: number; unixSeconds: number } {
    return { slot: this.#slot, unixSeconds: START_S + Math.floor((this.#slot - START_SLOT) * 0.4) };
  }

  /** Calls the engines that are not told by a journal. */
  #each(act: (process: Process) => void): void {
    act(this.#processes[0]);
    if (this.#journal === undefined) act(this.#processes[1]);
  }

  #liveTurn(): void {
    const random = this.#random;
    this.#nowMs += random.pickOne(PAUSES_MS) ?? 0;
    if (random.oneIn(3)) this.#slot += random.nextBetween(1, 3);
    for (let at = random.nextBelow(4); at > 0; at -= 1) {
      this.#pushWrites(this.#life.nextWrites(this.#clock));
    }
    this.#toggleTopics();
    if (random.oneIn(5)) this.#quote();
    this.#toggleTopics();
    if (random.oneIn(12)) {
      const state = random.pickOne(STATES) ?? 'live';
      this.#each((process) => process.moveBook().setState(state));
    }
    if (random.oneIn(60)) {
      this.#epochs += 1;
      this.#each((process) => process.moveBook().setEpoch(`e${this.#epochs}`));
    }
    this.#endTurn();
    this.#toggleTopics();
  }

  #pushWrites(writes: ReturnType<MarketSimulator['nextWrites']>): void {
    for (const { pubkey, owner, data } of writes) {
      const account = { pubkey, owner, slot: this.#slot, data: data.toString('base64') };
      this.#each(({ engine }) => engine.push({ ...account, encoding: 'base64' }));
    }
  }

  #quote(): void {
    const random = this.#random;
    const side = (away: number) =>
      random.oneIn(4)
        ? null
        : { price: BigInt(away), size: BigInt(random.nextBetween(1, 9)) << 30n };
    const quotes: MakerQuotes = {
      market: this.#randomMarket(),
      maker: this.#life.makers[random.nextBelow(2)]?.pubkey ?? '',
      quotes: random.oneIn(3)
        ? []
        : [{ bid: side(-10_000), ask: side(10_000), isOracleOffset: true }],
      tsMs: this.#tsMs,
    };
    this.#each(({ engine }) => engine.setIndicative(quotes));
  }

  #randomMarket(): number {
    return this.#random.pickOne(this.#processes[0].engine.markets())?.id ?? 0;
  }

  get #tsMs(): number {
    return START_S * 1_000 + this.#nowMs;
  }

  /** In each process by itself. */
  #toggleTopics(): void {
    for (const process of this.#processes) {
      if (!this.#random.oneIn(3)) continue;
      const spec = this.#random.pickOne(this.#specs);
      if (spec !== undefined) process.toggleTopic(spec);
    }
  }

  #newSpec(): TopicSpec {
    const random = this.#random;
    const channel = random.pickOne(['book', 'book', 'bbo', 'l3'] as const) ?? 'book';
    const maker = random.oneIn(4) ? this.#life.makers[0]?.pubkey : undefined;
    return {
      ...{ channel, market: this.#randomMarket() },
      ...(channel === 'bbo' ? {} : { depth: random.pickOne(LIMITS.streamDepths) }),
      ...(channel === 'book' && random.oneIn(3) ? { grouping: 10 } : {}),
      ...(channel === 'l3' ? { maker } : {}),
      ...{ vamm: random.oneIn(3), indicative: random.oneIn(3) },
      ...(random.oneIn(2) ? {} : { intervalMs: random.pickOne(LIMITS.streamIntervals) }),
    };
  }

  /** The first process decides on the publication; both publish, and are compared at the next turn. */
  #endTurn(): void {
    const [first, second] = this.#processes;
    const own = this.#endTurnOf(first);
    const mark = this.#marks.takeMark(own);
    const other = this.#moveSecond(second, own, mark);
    this.#compare();
    this.#publish(first, own, mark);
    this.#publish(second, other.turn, other.mark);
  }

  #endTurnOf(process: Process): Turn {
    const engine = process.moveBook();
    const { slot, unixSeconds } = this.#clock;
    engine.setClock(slot, unixSeconds);
    return engine.endTurn(this.#tsMs);
  }

  #moveSecond(second: Process, own: Turn, mark: PublishMark): { turn: Turn; mark: PublishMark } {
    if (this.#journal === undefined) {
      const turn = this.#endTurnOf(second);
      expect(turn).toEqual(own);
      return { turn, mark };
    }
    second.moveBook();
    const moved = this.#journal.moveTurn(mark, this.#tsMs);
    const turn = moved?.turn ?? { ...own, dirty: [], requoted: [], indicated: [] };
    const { dirty, requoted, indicated, allChanged } = turn;
    expect(own).toMatchObject({ dirty, requoted, indicated, allChanged });
    expect(moved?.mark ?? []).toEqual(mark);
    return { turn, mark };
  }

  #publish(process: Process, changes: Turn, mark: PublishMark): void {
    process.marks += 1;
    process.frames = new Map();
    process.streams.addTurn({ changes, mark, receivedAtMs: 0 });
    process.publisher.publishTurn();
  }

  /** The frames of the last mark, of topics that had begun before it. */
  #compare(): void {
    const [first, second] = this.#processes;
    for (const reading of first.readings.values()) this.#follow(reading, first, second);
    for (const reading of second.readings.values()) this.#follow(reading, second, first);
  }

  /**
   * Each reader applies the other process's frame, unless the topic was opened there after the
   * reader's book.
   */
  #follow({ key, beganAt, book }: Reading, own: Process, other: Process): void {
    const mark = own.marks;
    if (book === undefined || (beganAt ?? mark) >= mark) return;
    const sent = own.frames.get(key);
    const isInOther = (other.readings.get(key)?.beganAt ?? mark) < mark;
    const sentByOther = isInOther ? other.frames.get(key) : sent;
    expect(unlinked(sentByOther), `${key} at mark ${mark} of ${this.seed}`).toEqual(unlinked(sent));
    if (sent === undefined || sentByOther === undefined) return;
    this.#compared += isInOther ? 1 : 0;
    this.#otherLinks += sentByOther === sent ? 0 : 1;
    const frame = JSON.parse(sentByOther) as Frame;
    const isBehind = frame.type === 'delta' && Number(frame['prev']) > book.seq;
    book.apply(isBehind ? (JSON.parse(sent) as Frame) : frame);
  }
}

/** A frame without the number that it links to. */
function unlinked(frame: string | undefined): string | undefined {
  return frame?.replace(/"prev":\d+,/, '');
}
