/** One epoch and seq name one book of a market, also while a reading of all users takes some out. */
import { afterEach, expect, test } from 'vitest';
import type { Engine } from '../src/engine/engine.js';
import { ChainScene } from './support/chain-scene.js';
import { until } from './support/until.js';

/** Two bodies are read for each snapshot, and none has more levels. */
const DEPTHS = { max: 1_000, min: 500 } as const;

let scene: ChainScene | undefined;

afterEach(() => scene?.stop());

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
      const body = Buffer.from(engine.l2({ market: id, depth: this.#depth })).toString();
      const levels = body.slice(0, body.indexOf(',"marketName"'));
      const known = this.#books.get(number);
      this.#books.set(number, levels);
      if (known !== undefined && known !== levels) this.doubled.push(number);
    }
  }
}

const isUser = (bytes: Buffer | undefined): boolean => bytes?.length === 4_376;

test('while the book of another chain replaces that of the one before, in a new epoch', async () => {
  scene = await ChainScene.start();
  const { engine } = scene.service;
  const reader = new SnapshotReader(engine);
  const { epoch } = engine;
  const users = [...scene.chain.accounts.values()].filter(({ write }) => isUser(write?.data));
  scene.replaceChain(2);
  await until('the book of the other chain', () => reader.removed === users.length);
  expect(Number.parseInt(engine.epoch, 36)).toBeGreaterThan(Number.parseInt(epoch, 36));
  await scene.expectBook();
  expect(reader.doubled).toEqual([]);
});

test('while users go whose end nobody told', async () => {
  scene = await ChainScene.start({ flags: { auditIntervalMs: '1000', probeIntervalMs: '0' } });
  const { chain } = scene;
  const reader = new SnapshotReader(scene.service.engine);
  const users = [...chain.accounts.values()].filter(({ write }) => isUser(write?.data));
  for (const { pubkey } of users.slice(0, 10)) chain.closeAccount(pubkey);
  const { engine } = scene.service;
  await until('all of them are out', () => engine.stats().users === users.length - 10);
  // Until the logs or an audit name them, nothing says so.
  scene.wrong.length = 0;
  await scene.expectBook();
  expect(reader.doubled).toEqual([]);
});
