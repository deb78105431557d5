import { beforeEach, describe, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { nextTurn } from '../../../test/support/next-turn.js';
import type { AccountSnapshot } from '../../contract/accounts.js';
import { SLOT_MS } from '../../contract/program.js';
import { Random } from '../../sim/random.js';
import type { TransientErrorLog } from '../model/error-logs.js';
import { ABSENCES_MAX, SLOTS_AHEAD_MAX } from '../model/limits.js';
import { CLOCK_KEY } from '../model/queries.js';
import { Absences } from './absences.js';
import type { FeedParts } from './parts.js';
import { ScanNode } from './scan-node.js';

/** Interval at which the feed checks for work. */
const LOOK_MS = 100;
const PROBE_MS = 1_000;
/** Accounts of one probe in these scenes. */
const PROBE_USERS = 30;
/** Slots by which `confirmed` lags `processed`. */
const CONFIRMED_SLOTS = 1;
/** From the moment at which a node can be read without an account until it has left the book. */
const GONE_MS_MAX = 2_000;
const GENESIS = 'genesis'.repeat(5);

interface Reading extends AccountSnapshot {
  readonly keys: readonly string[];
  readonly has: ReadonlySet<string>;
}

interface Signalled {
  readonly signal: AbortSignal;
}

/** A node, as seen by others; slots are its lag, negative when ahead. */
interface SceneNode {
  lagSlots: number;
  state: 'sound' | 'down' | 'hanging' | 'otherChain';
  /** Accounts that it lacks, regardless of the chain. */
  readonly lacks: Set<string>;
  /** The slot of its readings, which claim to be of now; null for those of now. */
  frozenAt: number | null;
}

function soundNode(lagSlots = 0): SceneNode {
  return { lagSlots, state: 'sound', lacks: new Set(), frozenAt: null };
}

/** An account that left the book, and whether it was on the chain then. */
interface Gone {
  readonly pubkey: string;
  readonly atMs: number;
  readonly slot: number;
  /** The announced slot at that time. */
  readonly announced: number;
  readonly isOnChain: boolean;
}

/** Accounts that are created and closed in slots, and a book that is notified of the creations. */
class Scene {
  nowMs = 0;
  own = soundNode();
  others: SceneNode[] = [];
  /** The last slot that the socket announces while it is behind; null while it is not. */
  heldSlot: number | null = null;
  reads = 0;
  readonly gone: Gone[] = [];
  readonly contradictions: string[] = [];
  readonly absences: Absences;
  /** By account, the slots of its creations and closings, alternating. */
  readonly #lives = new Map<string, number[]>();
  /** The book's accounts, with the slot of the last notified write. */
  readonly #book = new Map<string, number>();
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  #walkedTo = 0;

  constructor() {
    this.absences = new Absences(this.#parts(), {
      newestSlot: () => this.heldSlot ?? this.slot,
      onGone: (keys, slot) => this.#letGo(keys, slot),
      onContradiction: (pubkey) => this.contradictions.push(pubkey),
    });
  }

  /** The last announced slot. Its writes can be read at its end. */
  get slot(): number {
    return 1_000 + Math.floor(this.nowMs / SLOT_MS);
  }

  has(pubkey: string): boolean {
    return this.#book.has(pubkey);
  }

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

  notify(pubkey: string, slot = this.slot): void {
    if (!this.#book.has(pubkey)) this.absences.addAccount(pubkey, slot);
    this.#book.set(pubkey, Math.max(slot, this.#book.get(pubkey) ?? 0));
  }

  /** Passes time; every second a probe reads some users in turn. */
  async passTime(ms: number, eachLook: () => void = () => undefined): Promise<void> {
    const endMs = this.nowMs + ms;
    for (; this.nowMs < endMs; this.nowMs += LOOK_MS) {
      eachLook();
      if (this.nowMs % PROBE_MS === 0) this.#probe();
      for (const timer of [...this.#timers].filter(({ atMs }) => atMs <= this.nowMs)) timer.run();
      void this.absences.readIfDue();
      await nextTurn();
    }
  }

  #probe(): void {
    const users = [...this.#book.keys()];
    const keys = users.slice(this.#walkedTo, this.#walkedTo + PROBE_USERS);
    this.#walkedTo = this.#walkedTo + PROBE_USERS < users.length ? this.#walkedTo + PROBE_USERS : 0;
    if (this.own.state === 'sound') this.absences.recordReading(this.#read(this.own, keys, 0));
  }

  #read(node: SceneNode, keys: readonly string[], behind: number): Reading {
    const slot = this.slot - 1 - node.lagSlots - behind;
    const isThere = (key: string) => this.isOnChain(key, node.frozenAt ?? slot);
    const has = new Set(keys.filter((key) => !node.lacks.has(key) && isThere(key)));
    return { slot, keys, has, count: has.size, positions: 0, problemCount: 0, problems: [] };
  }

  /** The body of a reading, which only a Clock is read from. */
  #bodyOf({ frozenAt }: SceneNode, { slot, keys }: Reading): Buffer {
    const clock = Buffer.alloc(40);
    clock.writeUInt32LE(frozenAt ?? slot);
    const account = { data: [clock.toString('base64'), 'base64'], owner: 'sysvar' };
    const value = keys.map((key) => (key === CLOCK_KEY ? account : null));
    return Buffer.from(JSON.stringify({ result: { context: { slot }, value } }));
  }

  #letGo(keys: readonly string[], slot: number): void {
    for (const pubkey of keys) {
      const isOnChain = this.isOnChain(pubkey, this.slot);
      this.#book.delete(pubkey);
      this.gone.push({ pubkey, atMs: this.nowMs, slot, announced: this.slot, isOnChain });
    }
  }

  #rpcOf(nodeOf: () => SceneNode) {
    const answer = async <Result>(
      signal: AbortSignal,
      result: (node: SceneNode) => Result,
    ): Promise<Result> => {
      this.reads += 1;
      const node = nodeOf();
      if (node.state === 'down') throw new Error('the node is down');
      if (node.state === 'hanging')
        await new Promise((_, reject) => signal.addEventListener('abort', reject));
      return result(node);
    };
    return {
      call: (_: string, __: [], parse: (hash: string) => string, { signal }: Signalled) =>
        answer(signal, ({ state }) => parse(state === 'otherChain' ? 'other'.repeat(7) : GENESIS)),
      callRaw: (
        _: string,
        [keys, { commitment }]: [string[], { commitment: string }],
        { signal }: Signalled,
      ) =>
        answer(signal, (node) => {
          expect(commitment).toBe('confirmed');
          const read = this.#read(node, keys, CONFIRMED_SLOTS);
          const reading = node.state === 'otherChain' ? { ...read, has: new Set() } : read;
          return Object.assign(this.#bodyOf(node, read), reading);
        }),
    };
  }

  #after(delayMs: number, run: () => void) {
    const timer = { atMs: this.nowMs + delayMs, run };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  #parts(): FeedParts {
    const scene = this;
    return {
      rpc: this.#rpcOf(() => scene.own),
      get otherRpcs() {
        return scene.others.map((_, index) =>
          scene.#rpcOf(() => scene.others[index] ?? soundNode()),
        );
      },
      engine: {
        decodeSnapshot: async (body: unknown) => body,
        goneAccounts: ({ keys, has, slot }: Reading) =>
          keys.filter(
            (key) => !has.has(key) && slot > (scene.#book.get(key) ?? Number.POSITIVE_INFINITY),
          ),
        foundAccounts: ({ has }: Reading) => [...has],
      },
      probeIntervalMs: PROBE_MS,
      timers: {
        nowMs: () => scene.nowMs,
        after: (ms: number, run: () => void) => scene.#after(ms, run),
      },
      turns: { finishRequested: async () => undefined },
      scanNode: sceneScanNode(),
      memory: { genesisHash: GENESIS },
      transientErrors: { logWarning: () => undefined },
    } as unknown as FeedParts;
  }
}

/** It compares the chains of nodes, and scans nothing here. */
function sceneScanNode(): ScanNode {
  const transientErrors = { logWarning: () => undefined } as unknown as TransientErrorLog;
  const timers = new ManualTimers();
  return new ScanNode({ rpc: null, timers, random: () => 0, transientErrors });
}

let scene: Scene;

beforeEach(() => {
  scene = new Scene();
});

const names = (count: number, name = 'user'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);

/** Closes a user after a while; returns the time until it has left the book. */
async function closedForMs(lastsMs = 8_000): Promise<number> {
  scene.make('user');
  await scene.passTime(5_500);
  const closedMs = scene.nowMs;
  scene.close('user');
  await scene.passTime(lastsMs);
  expect(scene.gone.map(({ pubkey }) => pubkey)).toEqual(['user']);
  return (scene.gone[0]?.atMs ?? Number.NaN) - closedMs;
}

describe('absences: what the chain does not have leaves the book', () => {
  test.each<[string, SceneNode[]]>([
    ['of one node', []],
    ['of two nodes', [soundNode()]],
  ])('a user that is closed without a word, %s', async (_name, others) => {
    scene.others = others;
    expect(await closedForMs()).toBeLessThanOrEqual(GONE_MS_MAX);
  });

  test.each<[string, SceneNode]>([
    ['is down', { ...soundNode(), state: 'down' }],
    ['hangs', { ...soundNode(), state: 'hanging' }],
    ['is a minute behind', soundNode(150)],
    ['is far ahead', soundNode(-SLOTS_AHEAD_MAX - 5)],
    ['is of another chain', { ...soundNode(), state: 'otherChain' }],
    ['gives readings of the past that claim to be of now', { ...soundNode(), frozenAt: 1_010 }],
  ])(
    'beside another node that %s the node in use is read twice, and at once the next time',
    async (_name, other) => {
      scene.others = [other];
      // The tries of the other one, and a probe a second.
      expect(await closedForMs()).toBeLessThanOrEqual(GONE_MS_MAX + 300);
      scene.make('next');
      await scene.passTime(3_000);
      const closedMs = scene.nowMs;
      scene.close('next');
      await scene.passTime(4_000);
      expect(scene.gone[1]).toMatchObject({ pubkey: 'next' });
      for (const { slot, announced } of scene.gone)
        expect(slot).toBeLessThanOrEqual(announced + SLOTS_AHEAD_MAX);
      expect((scene.gone[1]?.atMs ?? Number.NaN) - closedMs).toBeLessThanOrEqual(GONE_MS_MAX);
    },
  );

  test('a node that is ahead of its socket: not before the socket has passed the first reading', async () => {
    scene.own.lagSlots = -4;
    scene.make('user');
    await scene.passTime(2_500);
    const closedSlot = scene.slot;
    scene.close('user');
    await scene.passTime(6_000);
    expect(scene.gone).toMatchObject([{ pubkey: 'user' }]);
    expect(scene.gone[0]?.announced).toBeGreaterThanOrEqual(closedSlot + 4);
  });

  test('a socket that holds its slots after a made-up user: another node settles it', async () => {
    scene.others = [soundNode()];
    await scene.passTime(1_300);
    scene.notify('made up');
    await scene.passTime(400);
    scene.heldSlot = scene.slot;
    await scene.passTime(GONE_MS_MAX - 400);
    expect(scene.gone.map(({ pubkey }) => pubkey)).toEqual(['made up']);
  });

  test('a user that readings of before its notification have is not proven by them', async () => {
    for (const user of names(3_000)) scene.make(user);
    scene.make('user');
    await scene.passTime(4_000);
    scene.close('user');
    await scene.passTime(1_000);
    // The log of the transaction that cancelled its orders names it.
    scene.absences.recordReading({ ...NOTHING_READ, slot: scene.slot - 1 } as Reading);
    await scene.passTime(3_000);
    expect(scene.has('user')).toBe(false);
    scene.own.lagSlots = 20;
    scene.notify('user');
    await scene.passTime(2_000);
    scene.own.lagSlots = 0;
    await scene.passTime(2_000);
    expect(scene.has('user')).toBe(false);
  });

  test('users that were notified and never made, more than are read at once', async () => {
    await scene.passTime(1_300);
    const notifiedMs = scene.nowMs;
    const madeUp = names(250, 'made up');
    for (const pubkey of madeUp) scene.notify(pubkey);
    scene.make('user');
    await scene.passTime(6_000);
    expect(scene.gone.map(({ pubkey }) => pubkey).toSorted()).toEqual(madeUp.toSorted());
    for (const { atMs } of scene.gone)
      expect(atMs - notifiedMs).toBeLessThanOrEqual(GONE_MS_MAX + 500);
    expect(scene.has('user')).toBe(true);
  });

  test('one that is notified with a slot of long ago leaves the book, and is no contradiction', async () => {
    await scene.passTime(500);
    scene.notify('made up', scene.slot - 40);
    await scene.passTime(GONE_MS_MAX);
    expect(scene.gone.map(({ pubkey }) => pubkey)).toEqual(['made up']);
    expect(scene.contradictions).toEqual([]);
  });

  test('one that is notified again in each slot is a contradiction, and does not hide the others', async () => {
    for (const pubkey of names(100, 'again')) scene.notify(pubkey);
    await scene.passTime(GONE_MS_MAX, () => {
      for (const pubkey of names(100, 'again')) scene.notify(pubkey);
    });
    expect(scene.absences.unproven).toContain('again');
    await scene.passTime(2_000, () => {
      for (const pubkey of names(100, 'again')) scene.notify(pubkey);
      if (scene.nowMs === GONE_MS_MAX) scene.notify('made up');
    });
    expect(scene.gone.map(({ pubkey }) => pubkey)).toEqual(['made up']);
    expect(new Set(scene.contradictions).size).toBe(100);
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
    scene.own.lagSlots = 40;
    scene.others = [soundNode(60)];
    await scene.passTime(500);
    scene.make('user');
    await scene.passTime(60_000, () => expect(scene.absences.unproven).toBe(null));
    expect([scene.gone, scene.contradictions, scene.has('user')]).toEqual([[], [], true]);
    expect(scene.reads, 'reads of the new user, one a slot').toBeLessThan(60);
  });

  test('the node in use does not have a user that the other one has', async () => {
    scene.others = [soundNode()];
    scene.make('user');
    await scene.passTime(3_000);
    scene.own.lacks.add('user');
    await scene.passTime(20_000);
    expect([scene.gone, scene.has('user')]).toEqual([[], true]);
    expect(scene.reads).toBeGreaterThan(10);
  });

  test('one call of the other node that fails makes the node in use no witness of its own', async () => {
    scene.others = [soundNode()];
    scene.make('user');
    await scene.passTime(2_500);
    scene.own.lacks.add('user');
    await scene.passTime(20_000, () => {
      const [other] = scene.others;
      if (other !== undefined) other.state = scene.nowMs % 2_000 < 400 ? 'down' : 'sound';
    });
    expect([scene.gone, scene.has('user')]).toEqual([[], true]);
  });

  test('another node of another chain is no witness', async () => {
    scene.others = [{ ...soundNode(), state: 'otherChain' }, soundNode()];
    scene.make('user');
    await scene.passTime(2_500);
    scene.own.lacks.add('user');
    await scene.passTime(10_000);
    expect([scene.gone, scene.has('user')]).toEqual([[], true]);
  });

  test('what was suspected before all accounts are read again is forgotten', async () => {
    scene.make('user');
    await scene.passTime(3_000);
    scene.close('user');
    const missing: Reading = { ...NOTHING_READ, slot: scene.slot };
    scene.absences.recordReading(missing);
    scene.absences.stop();
    const { reads } = scene;
    scene.nowMs += 3_000;
    await scene.absences.readIfDue();
    expect([scene.reads - reads, scene.gone]).toEqual([0, []]);
  });

  test('no more accounts are kept than the limit', async () => {
    for (const pubkey of names(ABSENCES_MAX + 500, 'made up'))
      scene.absences.addAccount(pubkey, 1_000);
    await scene.passTime(25_000);
    expect(new Set(scene.contradictions).size).toBe(ABSENCES_MAX);
  });

  test('random lives beside nodes that lag: nothing leaves but what is gone, and all of that does', async () => {
    const lives = Number(process.env['ABSENCE_LIVES'] ?? 300);
    for (let seed = 1; seed <= lives; seed += 1) await liveRandomly(seed);
  });
});

const NOTHING_READ: Omit<Reading, 'slot'> = {
  keys: ['user'],
  has: new Set(),
  count: 0,
  positions: 0,
  problemCount: 0,
  problems: [],
};

/** A minute of users that are created, written, closed and created again, on nodes with changing lags. */
async function liveRandomly(seed: number): Promise<void> {
  const random = new Random(seed);
  scene = new Scene();
  const users = names(6);
  for (const user of users) scene.make(user);
  await scene.passTime(60_000, () => {
    if (random.oneIn(30)) scene.own.lagSlots = random.oneIn(2) ? 0 : random.nextBelow(40);
    if (random.oneIn(30)) {
      const other = soundNode(random.nextBelow(60));
      if (random.oneIn(4)) other.state = 'down';
      scene.others = random.oneIn(3) ? [] : [other];
    }
    const user = random.pickOne(users) ?? '';
    const isThere = scene.isOnChain(user, scene.slot);
    if (isThere && random.oneIn(40)) scene.close(user);
    else if (isThere && random.oneIn(4)) scene.notify(user);
    else if (!isThere && random.oneIn(100)) scene.make(user);
  });
  expect(
    scene.gone.filter(({ isOnChain }) => isOnChain),
    `seed ${seed}`,
  ).toEqual([]);
  Object.assign(scene, { own: soundNode(), others: [soundNode()] });
  await scene.passTime(35_000);
  for (const user of users)
    expect([user, scene.has(user)], `seed ${seed}`).toEqual([
      user,
      scene.isOnChain(user, scene.slot),
    ]);
}
