import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountSnapshot } from '../../contract/accounts.js';
import { Random } from '../../sim/random.js';
import { SLOT_MS } from '../model/limits.js';
import { Absences } from './absences.js';
import type { FeedParts } from './parts.js';

/** The feed looks for work this often. */
const LOOK_MS = 100;
const PROBE_MS = 1_000;
/** `confirmed` is so many slots behind `processed`. */
const CONFIRMED_SLOTS = 1;
/** From the write that closes an account until it has left the book. */
const GONE_MS_MAX = 2_000;

interface Reading extends AccountSnapshot {
  readonly keys: readonly string[];
  readonly has: ReadonlySet<string>;
}

/** Accounts that are made and closed in slots, and a book that is notified of what is made. */
class Scene {
  nowMs = 0;
  /** Slots by which each other node is behind; null for one that fails. */
  others: (number | null)[] = [];
  ownLagSlots = 0;
  readonly gone: { readonly pubkey: string; readonly atMs: number; readonly slot: number }[] = [];
  readonly absences: Absences;
  /** By account, the slots in which it is made and closed, in turns. */
  readonly #lives = new Map<string, number[]>();
  /** What the book has, and the slot of the last write that was notified. */
  readonly #book = new Map<string, number>();

  constructor() {
    this.absences = new Absences(this.#parts(), {
      newestSlot: () => this.slot,
      onGone: (keys, slot) => this.#letGo(keys, slot),
    });
  }

  /** The slot that was announced last. What it writes can be read when it has ended. */
  get slot(): number {
    return 1_000 + Math.floor(this.nowMs / SLOT_MS);
  }

  has(pubkey: string): boolean {
    return this.#book.has(pubkey);
  }

  /** Whether the chain has an account at the end of a slot. */
  isOnChain(pubkey: string, slot: number): boolean {
    const changes = (this.#lives.get(pubkey) ?? []).filter((at) => at <= slot);
    return changes.length % 2 === 1;
  }

  make(pubkey: string): void {
    this.#lives.set(pubkey, [...(this.#lives.get(pubkey) ?? []), this.slot]);
    this.notify(pubkey);
  }

  close(pubkey: string): void {
    this.#lives.get(pubkey)?.push(this.slot);
  }

  /** A write is notified; whether there was one is another matter. */
  notify(pubkey: string, slot = this.slot): void {
    if (!this.#book.has(pubkey)) this.absences.addUser(pubkey, slot);
    this.#book.set(pubkey, Math.max(slot, this.#book.get(pubkey) ?? 0));
  }

  /** A probe of some accounts by the node in use. */
  probe(keys: readonly string[]): void {
    const wanted = [...new Set([...keys, ...this.absences.unprovenUsers()])];
    this.absences.recordReading(this.#read(wanted, this.ownLagSlots));
  }

  async passTime(ms: number, eachLook: () => void = () => undefined): Promise<void> {
    const endMs = this.nowMs + ms;
    for (; this.nowMs < endMs; this.nowMs += LOOK_MS) {
      eachLook();
      if (this.nowMs % PROBE_MS === 0 || this.absences.unprovenUsers().length > 0)
        this.probe([...this.#book.keys()]);
      await this.absences.confirmIfDue();
    }
  }

  #read(keys: readonly string[], lagSlots: number): Reading {
    const slot = this.slot - 1 - lagSlots;
    const has = new Set(keys.filter((pubkey) => this.isOnChain(pubkey, slot)));
    return { slot, keys, has, count: has.size, positions: 0, problemCount: 0, problems: [] };
  }

  #letGo(keys: readonly string[], slot: number): void {
    for (const pubkey of keys) {
      this.#book.delete(pubkey);
      this.gone.push({ pubkey, atMs: this.nowMs, slot });
    }
  }

  #parts(): FeedParts {
    const scene = this;
    const nodeOf = (lagOf: () => number | null) => ({
      call: async () => 'genesis'.repeat(5),
      callRaw: async (
        _method: string,
        [keys, { commitment }]: [string[], { commitment: string }],
      ) => {
        const lag = lagOf();
        if (lag === null) throw new Error('the node is down');
        expect(commitment).toBe('confirmed');
        return scene.#read(keys, lag + CONFIRMED_SLOTS);
      },
    });
    return {
      rpc: nodeOf(() => scene.ownLagSlots),
      get otherRpcs() {
        return scene.others.map((_, index) => nodeOf(() => scene.others[index] ?? null));
      },
      engine: {
        decodeSnapshot: async (body: unknown) => body,
        goneAccounts: ({ keys, has, slot }: Reading) =>
          keys.filter(
            (key) => !has.has(key) && slot > (scene.#book.get(key) ?? Number.POSITIVE_INFINITY),
          ),
        foundUsers: ({ has }: Reading) => [...has],
      },
      timers: { nowMs: () => scene.nowMs, after: () => ({ cancel: () => undefined }) },
      turns: { finishRequested: async () => undefined },
      scanNode: { requireChain: async () => undefined },
      memory: { genesisHash: 'genesis'.repeat(5) },
      transientErrors: { logWarning: () => undefined },
    } as unknown as FeedParts;
  }
}

let scene: Scene;

beforeEach(() => {
  scene = new Scene();
});

describe('absences: what the chain does not have leaves the book', () => {
  test.each([
    ['of one node', [], 0],
    ['of two nodes', [0], 0],
    ['beside another node that is down', [null], 0],
    ['beside another node that is a minute behind', [150], 0],
  ])('a user that is closed without a word, %s', async (_name, others, lag) => {
    Object.assign(scene, { others, ownLagSlots: lag });
    scene.make('user');
    await scene.passTime(5_500);
    const closedMs = scene.nowMs;
    scene.close('user');
    await scene.passTime(4_000);
    expect(scene.gone).toMatchObject([{ pubkey: 'user' }]);
    expect((scene.gone[0]?.atMs ?? Number.NaN) - closedMs).toBeLessThanOrEqual(GONE_MS_MAX);
  });

  test('a user that was notified and never made, in the midst of others', async () => {
    scene.others = [0];
    await scene.passTime(1_300);
    const notifiedMs = scene.nowMs;
    for (let index = 0; index < 5; index += 1) scene.notify(`made up ${index}`);
    scene.make('user');
    await scene.passTime(4_000);
    expect(scene.gone.map(({ pubkey }) => pubkey)).toEqual(
      [0, 1, 2, 3, 4].map((n) => `made up ${n}`),
    );
    for (const { atMs } of scene.gone) expect(atMs - notifiedMs).toBeLessThanOrEqual(GONE_MS_MAX);
    expect(scene.has('user')).toBe(true);
  });

  test('a user that is made again is there', async () => {
    scene.make('user');
    await scene.passTime(3_000);
    scene.close('user');
    await scene.passTime(2_000);
    scene.make('user');
    await scene.passTime(5_000);
    expect([scene.gone.length, scene.has('user')]).toEqual([1, true]);
  });
});

describe('absences: what the chain has stays', () => {
  test('nodes that are behind do not know a new user yet', async () => {
    scene.ownLagSlots = 40;
    scene.others = [60];
    await scene.passTime(500);
    scene.make('user');
    await scene.passTime(40_000);
    expect([scene.gone, scene.has('user')]).toEqual([[], true]);
  });

  test('one node alone does not have a user that the other one has', async () => {
    scene.others = [0];
    scene.make('user');
    await scene.passTime(3_000);
    const missing: Reading = {
      slot: scene.slot - 1,
      keys: ['user'],
      has: new Set(),
      count: 0,
      positions: 0,
      problemCount: 0,
      problems: [],
    };
    await scene.passTime(10_000, () =>
      scene.absences.recordReading({ ...missing, slot: scene.slot - 1 }),
    );
    expect([scene.gone, scene.has('user')]).toEqual([[], true]);
  });

  test('random lives beside nodes that lag: nothing leaves but what is gone, and all of that does', async () => {
    const lives = Number(process.env['ABSENCE_LIVES'] ?? 300);
    for (let seed = 1; seed <= lives; seed += 1) await liveRandomly(seed);
  });
});

/** Users that are made, written, closed and made again, of nodes whose lags change; a minute. */
async function liveRandomly(seed: number): Promise<void> {
  const random = new Random(seed);
  scene = new Scene();
  const users = Array.from({ length: 6 }, (_, index) => `user-${index}`);
  for (const user of users) scene.make(user);
  await scene.passTime(60_000, () => {
    if (random.oneIn(30)) scene.ownLagSlots = random.oneIn(2) ? 0 : random.nextBelow(40);
    if (random.oneIn(30))
      scene.others = random.oneIn(3) ? [] : [random.oneIn(4) ? null : random.nextBelow(60)];
    const user = random.pickOne(users) ?? '';
    const isThere = scene.isOnChain(user, scene.slot);
    if (isThere && random.oneIn(40)) scene.close(user);
    else if (isThere && random.oneIn(4)) scene.notify(user);
    else if (!isThere && random.oneIn(100)) scene.make(user);
  });
  for (const { pubkey, slot } of scene.gone)
    expect(scene.isOnChain(pubkey, slot), `seed ${seed}: ${pubkey} at ${slot}`).toBe(false);
  Object.assign(scene, { ownLagSlots: 0, others: [0] });
  await scene.passTime(15_000);
  for (const user of users)
    expect([user, scene.has(user)], `seed ${seed}`).toEqual([
      user,
      scene.isOnChain(user, scene.slot),
    ]);
}
