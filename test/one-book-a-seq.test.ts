/** One epoch and seq name one book of a market, also while a reading of all users takes some out. */
import { afterEach, expect, test } from 'vitest';
import type { Engine } from '../src/engine/engine.js';
import { levelsOf } from './support/book-follower.js';
import { FaultRig } from './support/fault-rig.js';
import { until } from './support/until.js';

const TEST_MS_MAX = 120_000;
/** Two bodies are read for each snapshot, and none has more levels. */
const DEPTHS = { max: 1_000, min: 500 } as const;

let rig: FaultRig | undefined;

afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});

/** Reads every book right before a snapshot ends, and when the loop goes on after it. */
class SnapshotReader {
  /** Users that snapshots took out of the book. */
  removed = 0;
  /** Numbers by which readers got two books. */
  readonly doubled: string[] = [];
  readonly #books = new Map<string, string>();
  #depth: number = DEPTHS.max;

  constructor(engine: Engine) {
    const { endSnapshot } = engine;
    engine.endSnapshot = () => {
      this.#read(engine);
      const report = endSnapshot.call(engine);
      this.removed += report.removed;
      // What the feed planned for the end of the loop's next turn comes behind this.
      setImmediate(() => this.#read(engine));
      return report;
    };
  }

  #read(engine: Engine): void {
    // A depth that was not asked for yet, because the engine keeps the bodies of a version.
    this.#depth = Math.max(DEPTHS.min, this.#depth - 1);
    for (const { id, symbol } of engine.markets()) {
      const number = `${symbol} ${engine.epoch} ${engine.version(id).seq}`;
      const levels = levelsOf(engine.l2({ market: id, depth: this.#depth }));
      const known = this.#books.get(number);
      this.#books.set(number, levels);
      if (known !== undefined && known !== levels) this.doubled.push(number);
    }
  }
}

test(
  'while the book of another chain replaces that of the one before',
  async () => {
    rig = await FaultRig.start({ seed: 7, makers: 40 });
    const reader = new SnapshotReader(rig.watch.service.engine);
    await rig.replaceChain(8);
    rig.watch.returned();
    await rig.watch.caughtUp();
    expect(reader.removed).toBe(40);
    expect(reader.doubled).toEqual([]);
  },
  TEST_MS_MAX,
);

test(
  'while an audit takes out users whose end nobody told',
  async () => {
    rig = await FaultRig.start({
      seed: 7,
      makers: 40,
      settings: { auditIntervalMs: '1000', probeIntervalMs: '0' },
    });
    const reader = new SnapshotReader(rig.watch.service.engine);
    const { chain, watch } = rig;
    chain.load(0);
    chain.tick();
    const users = chain.lastWrites().filter(({ bytes }) => bytes?.length === 4_376);
    for (const { pubkey } of users.slice(0, 10)) chain.close(pubkey);
    await until(() => reader.removed === 10);
    await watch.compare(
      Array.from(chain.accounts.values(), ({ pubkey, bytes }) => {
        return { pubkey, data: bytes ?? Buffer.alloc(0) };
      }),
    );
    expect(reader.doubled).toEqual([]);
  },
  TEST_MS_MAX,
);
