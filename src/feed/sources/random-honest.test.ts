/**
 * Correct sources with random delays, reconnects and forks. All must stay trusted, and the book
 * must equal the chain. `HONEST_RUNS=2000` runs more scenarios, `HONEST_SEED=7 HONEST_RUNS=6` one
 * of each mix, `HONEST_LOG=1` prints the events.
 */
import { expect, test } from 'vitest';
import { HonestSource, type Planned } from '../../../test/support/honest-source.js';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { RandomChain } from '../../../test/support/random-chain.js';
import { FakeSource } from '../../../test/support/source-scene.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { Random } from '../../sim/random.js';
import { type AccountUpdate, closedAccount } from '../model/account-update.js';
import { LAGGING_AFTER_MS } from '../model/limits.js';
import { MergedSources } from './merged-sources.js';

const RUNS = Number(process.env['HONEST_RUNS'] ?? 150);
const FIRST_SEED = Number(process.env['HONEST_SEED'] ?? 1);
const IS_LOGGED = process.env['HONEST_LOG'] === '1';
const STEP_MS = 50;
const SLOTS = 130;
const ACCOUNTS = ['a', 'b', 'c', 'd', 'busy', 'x', 'y'];
/** Two slots and a reading, in addition to the slowest source's delay. */
const COMPARED_MS = 1_000;
/** Time after which all forks are resolved. */
const CONFIRMED_MS = 2_000;
/** Maximum time of a wrong account. */
const WRONG_MS_MAX = 3_000;

/** A simulated node for readings. */
interface ReadingNode {
  readonly lateMs: number;
  readonly answerMs: number;
  /** One of this many requests fails; 0 for none. */
  readonly failsOneIn: number;
  readonly isOfFork: boolean;
}

const mayHaveClosed = (kinds: readonly string[]): boolean =>
  kinds.some((kind, at) => kind === 'grpc' && at !== 1);

/** One random scenario of several sources. */
class HonestLife {
  readonly #random: Random;
  readonly #timers = new ManualTimers();
  readonly #chain: RandomChain;
  readonly #sources: readonly FakeSource[];
  readonly #planned: Planned[] = [];
  readonly #merged: MergedSources;
  readonly #node: ReadingNode;
  readonly #lateMs: number;
  readonly #book = new Map<string, string | null>();
  /** The slot of each account's reading. */
  readonly #readAt = new Map<string, number>();
  /** The slot of each account's last state in the book. */
  readonly #slots = new Map<string, number>();
  /** A separate generator, so that other draws do not depend on it. */
  readonly #absences: Random;
  readonly #wrongSinceMs = new Map<string, number>();
  #answers = 0;
  #isOpen = false;
  /** Of the last slot that the book was notified of. */
  #slotAtMs = 0;
  readonly log: string[] = [];
  /** Sources that the merge distrusted. */
  readonly distrusted: string[] = [];
  wrongMsMax = 0;
  /** Accounts that readings removed from the book. */
  absent = 0;
  worst = '';

  constructor(seed: number, kinds: readonly string[]) {
    const random = new Random(seed);
    this.#random = random;
    this.#absences = new Random(seed + 1_000_000);
    // A disconnected source misses closings, and a node never reports them.
    const hasClosed = random.oneIn(2) && mayHaveClosed(kinds);
    const options = { slots: SLOTS, accounts: ACCOUNTS, hasClosed, hasForks: random.oneIn(2) };
    this.#chain = new RandomChain(random, { ...options, busy: random.oneIn(2) ? 'busy' : null });
    this.#sources = kinds.map((kind, at) =>
      kind === 'rpc' ? new FakeSource('rpc', 'node') : new FakeSource('grpc', `host${at}`),
    );
    const honest = this.#sources.map(
      (source, at) => new HonestSource(random, source, this.#chain, at === 1),
    );
    this.#lateMs = Math.max(...honest.map(({ lateMs }) => lateMs)) + COMPARED_MS;
    this.#planned = honest.flatMap(({ planned }) => planned).sort((a, b) => a.atMs - b.atMs);
    const lateMs = random.nextBelow(5) * 200;
    // A node on a fork that no source has seen is not refuted before the next write.
    const isKnown = lateMs > this.#lateMs - COMPARED_MS;
    this.#node = {
      lateMs,
      answerMs: 100 + random.nextBelow(4) * 200,
      failsOneIn: random.oneIn(3) ? 3 : 0,
      isOfFork: random.oneIn(3) && isKnown,
    };
    const rpc = { call: (...args: Parameters<NodeRpc['call']>) => this.#read(args) } as NodeRpc;
    const names = random.oneIn(2) ? ['other'] : ['other', 'node'];
    const witnesses = names.map((name) => ({ name, rpc }));
    const { timers, sources } = { timers: this.#timers, sources: this.#sources };
    this.#merged = new MergedSources({ sources, witnesses, timers, random: () => 1 });
  }

  get dispute(): string | null {
    return this.#merged.dispute;
  }

  async run(): Promise<void> {
    this.#merged.connection.start({
      onOpened: () => void this.#readBook(),
      onClosed: (reason) => {
        this.#isOpen = false;
        this.#note(`closed: ${reason}`);
      },
      onMalformed: () => undefined,
    });
    for (const { listener } of this.#sources) listener?.onOpened();
    await this.#readBook();
    for (const pubkey of ACCOUNTS)
      for (const source of this.#sources) source.notifyWrite(pubkey, 100, 'first');
    const endMs = this.#chain.endMs + this.#lateMs;
    for (let at = 0; this.#timers.nowMs() < endMs; ) {
      this.#timers.advance(STEP_MS);
      for (; (this.#planned[at]?.atMs ?? endMs) <= this.#timers.nowMs(); at += 1)
        this.#planned[at]?.run();
      await this.#settleReads();
      this.#recordAbsence();
      this.#noteDistrusted();
      this.#compareBook();
    }
    this.#merged.stop();
  }

  #note(what: string): void {
    if (IS_LOGGED) this.log.push(`${this.#timers.nowMs()} ${what}`);
  }

  /**
   * Reads all accounts as a new connection does: the node has the slot before the first announced
   * slot, and reports that arrive earlier are applied then.
   */
  async #readBook(): Promise<void> {
    this.#isOpen = false;
    const early: AccountUpdate[] = [];
    let slotMin = 0;
    await this.#merged.subscribeAll({
      onSlot: (announced) => {
        this.#slotAtMs = this.#timers.nowMs();
        if (this.#isOpen || announced === null) return;
        slotMin ||= announced.slot - 1;
        const slot = this.#chain.readSlot(this.#timers.nowMs() - this.#node.lateMs, false);
        if (slot < slotMin) return;
        this.#isOpen = true;
        this.#readAccounts(ACCOUNTS, slot);
        for (const update of early) this.#apply(update);
      },
      onUpdate: (update) => {
        if (update === null) return;
        if (this.#isOpen) this.#apply(update);
        else early.push(update);
      },
      onLost: (keys) => this.#readAccounts(keys),
    });
  }

  #apply({ pubkey, slot, data, closed }: AccountUpdate): void {
    if (slot < (this.#readAt.get(pubkey) ?? 0)) return;
    this.#readAt.delete(pubkey);
    this.#book.set(pubkey, closed ? null : data);
    this.#slots.set(pubkey, slot);
    this.#note(`book ${pubkey}@${slot} ${data}`);
  }

  #readAccounts(
    keys: readonly string[],
    slot = this.#chain.readSlot(this.#timers.nowMs(), false),
  ): void {
    for (const pubkey of keys) {
      this.#readAt.set(pubkey, slot);
      this.#slots.set(pubkey, slot);
      this.#book.set(pubkey, this.#chain.stateAt(pubkey, slot).data);
    }
  }

  /** Simulates a reading: it may be old, fail, or come from another fork. */
  #read<T>([method, [keys], parse]: Parameters<NodeRpc['call']>): Promise<T> {
    const { lateMs, answerMs, failsOneIn, isOfFork } = this.#node;
    const fails = failsOneIn > 0 && this.#random.oneIn(failsOneIn);
    return new Promise((resolve, reject) => {
      this.#timers.after(answerMs / 2, () => {
        const slot = this.#chain.readSlot(this.#timers.nowMs() - lateMs, isOfFork);
        const value =
          method === 'getSlot'
            ? []
            : (keys as string[]).map((key) => {
                const { data } = this.#chain.stateAt(key, slot);
                return data === null ? null : { lamports: 1, owner: 'p', data: [data, 'base64'] };
              });
        this.#timers.after(answerMs / 2, () => {
          this.#answers += 1;
          this.#note(`read ${fails ? 'failed' : slot} ${keys} ${JSON.stringify(value)}`);
          if (fails) reject(new Error('the node is down'));
          else resolve(parse(method === 'getSlot' ? slot : { context: { slot }, value }) as T);
        });
      });
    });
  }

  /**
   * Simulates the session: reports an account that is missing on the confirmed chain after the
   * book's last state.
   */
  #recordAbsence(): void {
    const pubkey = this.#absences.pickOne(ACCOUNTS) ?? '';
    const slot = this.#chain.readSlot(this.#timers.nowMs() - CONFIRMED_MS, false);
    const isOlder = slot <= (this.#slots.get(pubkey) ?? 0);
    const shown = this.#book.get(pubkey) ?? null;
    if (!this.#isOpen || isOlder || shown === null) return;
    if (this.#chain.stateAt(pubkey, slot).data !== null) return;
    this.absent += 1;
    this.#note(`absent ${pubkey}@${slot}`);
    this.#merged.recordAbsence(closedAccount({ kind: 'user', pubkey, slot }));
    expect(this.#book.get(pubkey)).toBe(null);
  }

  async #settleReads(): Promise<void> {
    for (; this.#answers > 0; this.#answers -= 1)
      for (let turn = 0; turn < 3; turn += 1) await new Promise((next) => setImmediate(next));
  }

  #noteDistrusted(): void {
    for (const { name, state, reason } of this.#merged.readStatus()) {
      if (state !== 'distrusted' && reason?.startsWith('it ') !== true) continue;
      const found = `${name}: ${reason}`;
      if (this.distrusted.includes(found)) continue;
      this.#note(`DISTRUSTED ${found}`);
      this.distrusted.push(found);
    }
  }

  #compareBook(): void {
    const nowMs = this.#timers.nowMs();
    // Without slots the book is lagging, as it is in a dispute.
    const isCurrent = nowMs - this.#slotAtMs < LAGGING_AFTER_MS;
    const isBelieved = this.#isOpen && isCurrent && this.#merged.dispute === null;
    for (const [pubkey, shown] of this.#book) {
      if (!isBelieved || this.#chain.isRight(pubkey, shown, nowMs, this.#lateMs)) {
        this.#wrongSinceMs.delete(pubkey);
        continue;
      }
      const sinceMs = this.#wrongSinceMs.get(pubkey) ?? nowMs;
      this.#wrongSinceMs.set(pubkey, sinceMs);
      if (nowMs - sinceMs <= this.wrongMsMax) continue;
      this.wrongMsMax = nowMs - sinceMs;
      this.worst = `${pubkey} from ${sinceMs} to ${nowMs} is ${shown}`;
    }
  }
}

const MIXES = [
  ['grpc', 'grpc'],
  ['grpc', 'grpc', 'grpc'],
  ['rpc', 'grpc'],
  ['grpc', 'rpc'],
  ['rpc', 'grpc', 'grpc'],
  ['grpc', 'rpc', 'grpc'],
];

for (const kinds of MIXES) {
  test(`sources: ${kinds.join(', ')} that are right stay trusted, and the book is the chain's`, async () => {
    const faults: string[] = [];
    let absent = 0;
    for (let at = 0; at < RUNS / MIXES.length; at += 1) {
      const seed = FIRST_SEED + at;
      const life = new HonestLife(seed, kinds);
      await life.run();
      const { distrusted, dispute, wrongMsMax, worst } = life;
      if (distrusted.length > 0) faults.push(`seed ${seed}: ${distrusted.join(', ')}`);
      if (dispute !== null) faults.push(`seed ${seed}: ${dispute}`);
      if (wrongMsMax > WRONG_MS_MAX) faults.push(`seed ${seed}: ${worst}`);
      absent += life.absent;
      if (IS_LOGGED) console.log(life.log.join('\n'));
    }
    expect(faults).toEqual([]);
    if (RUNS >= 150 && mayHaveClosed(kinds)) expect(absent).toBeGreaterThan(0);
  }, 300_000);
}
