/** The checker of the fault tests: it must find what is wrong, or its silence says nothing. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Engine } from '../src/engine/engine.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { type ChainWrite, encoded, ScriptedChain } from './scripted-chain.js';
import { BookFollower, type Delivery, type ShownBook } from './support/book-follower.js';
import { FrameChecker } from './support/frame-checker.js';
import { bookBodies } from './support/local-books.js';
import { until } from './support/until.js';

const IN_ORDER: Delivery = { laneOf: () => 'all', apartMs: 0, backMs: 0 };

/** Users come by one subscription, and every other account by its own. */
const IN_LANES: Delivery = {
  laneOf: (write) => (isUser(write) ? 'users' : write.pubkey),
  apartMs: 10_000,
  backMs: 0,
};

function isUser({ bytes }: ChainWrite): boolean {
  return bytes?.length === 4_376;
}

// Orders expire: the second in which a book is shown is the same for all of them.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** A chain after so many steps of its life. */
class Scene {
  readonly chain = new ScriptedChain({ seed: 9, makers: 12, writesAreSeen: 'atOnce' });
  readonly #first = this.chain.lastWrites();
  readonly #before = this.chain.writes.length;

  step(count: number): this {
    for (let i = 0; i < count; i += 1) {
      for (const account of this.chain.life.nextWrites(this.chain.clock)) this.chain.write(account);
    }
    return this;
  }

  /** Follows SOL-PERP from the first state on, along all writes since. */
  follower(delivery = IN_ORDER): BookFollower {
    const market = this.chain.markets[0]?.account ?? '';
    const follower = new BookFollower(market, this.#first, delivery);
    for (const write of this.writes) follower.add(write);
    return follower;
  }

  get writes() {
    return this.chain.writes.slice(this.#before);
  }

  /** The book after the first writes, but for those at these places, made by the library's local book. */
  shown(count: number, missing: readonly number[] = []): ShownBook {
    const accounts = new Map(this.#first.map(({ pubkey, bytes }) => [pubkey, bytes]));
    this.writes.slice(0, count).forEach(({ pubkey, bytes }, index) => {
      if (!missing.includes(index)) accounts.set(pubkey, bytes);
    });
    const { slot, unixSeconds } = this.chain.clock;
    const moment = { slot: BigInt(slot), now: BigInt(unixSeconds) };
    const data = Array.from(accounts, ([pubkey, bytes]) => {
      return { pubkey, data: bytes ?? Buffer.alloc(0) };
    });
    const book = bookBodies(data, moment).find(({ marketName }) => marketName === 'SOL-PERP');
    const levels = { bids: book?.bids.levels, asks: book?.asks.levels };
    const text = JSON.stringify(levels).slice(0, -1);
    return { levels: text, slot, unixSeconds, atMs: performance.now() };
  }

  /** Places after which the book is another one. */
  changes(): number[] {
    const texts = Array.from({ length: this.writes.length + 1 }, (_, i) => this.shown(i).levels);
    return texts.flatMap((text, i) => (i > 0 && text !== texts[i - 1] ? [i] : []));
  }
}

test('the book after each write is right, and the one before it is not right any more', () => {
  const scene = new Scene().step(40);
  const follower = scene.follower();
  for (let count = 0; count <= scene.writes.length; count += 1) {
    expect(follower.accepts(scene.shown(count))).toBe(true);
  }
  const [change = 0] = scene.changes();
  expect(follower.accepts(scene.shown(change - 1))).toBe(false);
  expect(follower.accepts(scene.shown(scene.writes.length))).toBe(true);
});

test.each(['in order', 'in lanes'])('a book without one of the writes is wrong: %s', (how) => {
  const scene = new Scene().step(40);
  const changes = scene.changes();
  const [lost = 0] = changes;
  const later = changes.find((at) => {
    const { pubkey } = scene.writes[at - 1] ?? {};
    return at > lost && pubkey !== scene.writes[lost - 1]?.pubkey;
  });
  const follower = scene.follower(how === 'in order' ? IN_ORDER : { ...IN_LANES, apartMs: 0 });
  expect(follower.accepts(scene.shown(later ?? 0, [lost - 1]))).toBe(false);
  expect(follower.accepts(scene.shown(later ?? 0))).toBe(true);
});

test('writes of different lanes may overtake each other', () => {
  const scene = new Scene().step(60);
  const { writes } = scene;
  const changes = scene.changes();
  // An oracle that moved, and a user who did something right after it.
  const places = changes.map((at, index) => ({ at, next: changes[index + 1] ?? 0 }));
  const { at, next } = places.find((place) => {
    const [oracle, user] = [writes[place.at - 1], writes[place.next - 1]];
    return oracle !== undefined && user !== undefined && !isUser(oracle) && isUser(user);
  }) ?? { at: 0, next: 0 };
  const shown = scene.shown(next, [at - 1]);
  expect(scene.follower(IN_ORDER).accepts(shown)).toBe(false);
  expect(scene.follower(IN_LANES).accepts(shown)).toBe(true);
});

test('a book that goes back is right when the chain went back', () => {
  const scene = new Scene().step(20);
  const before = scene.writes.length;
  scene.chain.tick();
  scene.step(20);
  const follower = scene.follower();
  expect(follower.accepts(scene.shown(scene.writes.length))).toBe(true);
  expect(follower.accepts(scene.shown(before))).toBe(false);
  const told = scene.writes.length;
  expect(scene.chain.revert(1)).toBeGreaterThan(0);
  for (const write of scene.writes.slice(told)) follower.add(write);
  expect(follower.accepts(scene.shown(scene.writes.length))).toBe(true);
});

test('a book that lacks a write says since when', () => {
  const scene = new Scene().step(40);
  const [change = 0] = scene.changes();
  const shown = scene.shown(change - 1);
  const follower = scene.follower();
  expect(follower.accepts(shown)).toBe(true);
  expect(follower.missingSinceMs(shown, 0)).toBe(scene.writes[change - 1]?.seenMs);
  const whole = scene.shown(scene.writes.length);
  expect(follower.accepts(whole)).toBe(true);
  expect(follower.missingSinceMs(whole, 0)).toBe(Number.POSITIVE_INFINITY);
});

/** A chain on which the fills of ETH-PERP are paused, so that its book is empty. */
function pausedChain(seed: number): ScriptedChain {
  const chain = new ScriptedChain({ seed, makers: 12, writesAreSeen: 'atOnce' });
  while (chain.life.markets[2]?.pausedOperations === 0) {
    for (const account of chain.life.nextWrites(chain.clock)) chain.write(account);
  }
  return chain;
}

/** Makes the book of a chain, in the place of that of the chain before. */
function showChain(engine: Engine, chain: ScriptedChain, before?: ScriptedChain): void {
  engine.setState('rebuilding');
  for (const { pubkey, slot } of before?.lastWrites() ?? []) engine.pushClosed(pubkey, slot);
  const writes = chain.lastWrites();
  const markets = writes.filter(({ pubkey }) => {
    return chain.markets.some(({ account }) => account === pubkey);
  });
  // An engine takes the account of an oracle once a market has named it.
  for (const { pubkey, owner, bytes, slot } of [...markets, ...writes]) {
    if (bytes === null) continue;
    engine.push({ pubkey, owner, slot, data: encoded(bytes, 'base64'), encoding: 'base64' });
  }
  engine.setClock(chain.clock.slot, chain.clock.unixSeconds);
  engine.endTurn(1);
  engine.setState('live');
  engine.endTurn(2);
}

test('a book that is empty on both chains is one of the new chain once the others are', async () => {
  const [before, after] = [pausedChain(9), pausedChain(10)];
  const limits = { oldMsMax: 600_000, toldMsMax: 600_000, secondsAreApart: true, forgiving: false };
  const checker = new FrameChecker(before, { ...IN_ORDER, ...limits });
  const engine = new Engine({ programId: PROGRAM_ID, epoch: 'before' });
  checker.watch(engine);
  const isReached = () => {
    engine.endTurn(3);
    return checker.caughtUpMs() !== undefined;
  };
  showChain(engine, before);
  checker.aim(performance.now());
  await until(isReached);
  checker.follow(after);
  engine.setEpoch('after');
  showChain(engine, after, before);
  checker.aim(performance.now());
  await until(isReached);
  expect(await checker.finish()).toMatchObject({ wrong: 0, old: 0, described: [] });
});
