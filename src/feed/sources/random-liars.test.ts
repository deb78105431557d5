/**
 * One source with random wrong writes, slots, omissions and reconnects. `LIAR_RUNS=10000` runs more
 * scenarios.
 */
import { expect, test } from 'vitest';
import { type FakeSource, SourceScene } from '../../../test/support/source-scene.js';
import { Random } from '../../sim/random.js';

const RUNS = Number(process.env['LIAR_RUNS'] ?? 300);
const SLOTS = 80;
/** A quarter of a slot. */
const STEP_MS = 100;
/** The maximum time of a wrong account, and the time by which correct sources may be late. */
const WRONG_MS_MAX = 3_000;
const HONEST_MS_MAX = 500;
const ACCOUNTS = ['a', 'b', 'c', 'd'];

interface Planned {
  readonly atMs: number;
  readonly run: () => void;
}

/** An account's state on the chain, and the time until which it was valid. */
interface Held {
  readonly data: string;
  untilMs: number;
}

class LiarScene {
  readonly #random: Random;
  readonly #scene: SourceScene;
  readonly #liar: FakeSource;
  readonly #honest: readonly FakeSource[];
  readonly #held = new Map<string, Held[]>();
  readonly #wrongSinceMs = new Map<string, number>();
  #planned: Planned[] = [];
  #parent = 0;
  #isSilent = false;
  #isLiarOpen = true;
  #wrongMsMax = 0;
  /** The account that was wrong for longest. */
  worst = '';

  constructor(random: Random, scene: SourceScene) {
    const [liar, ...honest] = scene.sources;
    if (liar === undefined) throw new Error('no source');
    this.#random = random;
    this.#scene = scene;
    this.#liar = liar;
    this.#honest = honest;
  }

  /**
   * Runs all slots; returns the longest time in milliseconds for which an undisputed book had a
   * wrong account.
   */
  async run(): Promise<number> {
    for (const pubkey of ACCOUNTS) {
      this.#setChain(pubkey, 'first');
      for (const source of this.#scene.sources)
        source.notifyWrite(pubkey, this.#scene.slot, 'first');
    }
    await this.#scene.passSlots(4);
    this.#parent = this.#scene.slot;
    for (let slot = 0; slot < SLOTS; slot += 1) {
      this.#passSlot();
      for (let step = 0; step < 4; step += 1) {
        if (slot > 3 && slot < SLOTS - 30 && this.#random.nextBelow(10) < 3) this.#lie();
        await this.#passStep();
        this.#compareBook();
      }
    }
    return this.#wrongMsMax;
  }

  #plan(source: FakeSource, lagMs: number, run: () => void): void {
    if (source === this.#liar && !this.#isLiarOpen) return;
    this.#planned.push({ atMs: this.#scene.timers.nowMs() + lagMs, run });
  }

  #passSlot(): void {
    const scene = this.#scene;
    const [random, parent] = [this.#random, this.#parent];
    scene.slot += random.oneIn(10) ? 2 : 1;
    const { slot } = scene;
    this.#parent = slot;
    const writes = ACCOUNTS.filter(() => random.oneIn(4)).flatMap((pubkey) => {
      const times = random.nextBelow(10) < 3 ? 2 : 1;
      return Array.from({ length: times }, (_, at) => ({
        pubkey,
        data: `${pubkey} ${slot} ${at}`,
      }));
    });
    for (const { pubkey, data } of writes) this.#setChain(pubkey, data);
    for (const source of scene.sources) {
      const lagMs = (1 + random.nextBelow(4)) * STEP_MS;
      this.#plan(source, lagMs, () => {
        if (source !== this.#liar || !this.#isSilent) source.notifySlot(slot, 'begun', parent);
        const last = new Map(writes.map(({ pubkey, data }) => [pubkey, data]));
        const told =
          source.kind === 'rpc' ? [...last] : writes.map((one) => [one.pubkey, one.data]);
        for (const [pubkey = '', data = ''] of told) {
          if (source !== this.#liar || random.nextBelow(10) < 8)
            source.notifyWrite(pubkey, slot, data);
        }
        if (source.kind === 'rpc') return;
        source.notifySlot(slot, 'processed', parent);
        source.notifySlot(slot - 32, 'finalized', null);
      });
      if (source.kind === 'grpc')
        this.#plan(source, lagMs + 800, () => source.notifySlot(slot, 'confirmed', parent));
    }
  }

  #setChain(pubkey: string, data: string): void {
    const nowMs = this.#scene.timers.nowMs();
    const held = this.#held.get(pubkey) ?? [];
    const last = held.at(-1);
    if (last !== undefined) last.untilMs = nowMs;
    held.push({ data, untilMs: Number.POSITIVE_INFINITY });
    this.#held.set(pubkey, held);
    this.#scene.chain.set(pubkey, data);
  }

  #lie(): void {
    const { listener } = this.#liar;
    const random = this.#random;
    const slot = this.#scene.slot + random.nextBelow(15) - 8;
    const pubkey = ACCOUNTS[random.nextBelow(ACCOUNTS.length)] ?? 'a';
    const old = this.#held.get(pubkey)?.at(-2)?.data;
    const lies: readonly (() => void)[] = [
      () => this.#liar.notifyWrite(pubkey, this.#scene.slot, `lied ${slot}`),
      () => this.#liar.notifyWrite(pubkey, slot, old ?? 'lied'),
      () => this.#liar.notifyClosed(pubkey, slot),
      () => this.#liar.notifySlot(slot, 'dead', null),
      () => this.#liar.notifySlot(slot, 'finalized', null),
      () => this.#liar.notifySlot(slot, 'confirmed', slot - 1 - random.nextBelow(4)),
      () => this.#liar.notifySlot(slot + random.nextBelow(100)),
      () => this.#liar.notifyWrite(pubkey, slot + random.nextBelow(24), 'far'),
      () => {
        this.#isSilent = !this.#isSilent;
      },
      () => {
        this.#isLiarOpen = !this.#isLiarOpen;
        if (this.#isLiarOpen) listener?.onOpened();
        else listener?.onClosed('gone');
      },
      () => {
        if (this.#liar.kind === 'rpc' || !this.#isLiarOpen) return;
        listener?.onInterrupted('cut');
        listener?.onResumed();
      },
    ];
    const lie = lies[random.nextBelow(lies.length)];
    if (this.#isLiarOpen || lie === lies[9]) lie?.();
  }

  async #passStep(): Promise<void> {
    this.#scene.timers.advance(STEP_MS);
    const nowMs = this.#scene.timers.nowMs();
    const due = this.#planned.filter(({ atMs }) => atMs <= nowMs);
    this.#planned = this.#planned.filter(({ atMs }) => atMs > nowMs);
    for (const { run } of due) run();
    await this.#scene.settleReads();
  }

  #compareBook(): void {
    const nowMs = this.#scene.timers.nowMs();
    const isDoubted = this.#scene.merged.dispute !== null;
    for (const [pubkey, held] of this.#held) {
      const shown = this.#scene.closed.has(pubkey) ? null : this.#scene.book.get(pubkey);
      const isRight = held.some(
        ({ data, untilMs }) => data === shown && untilMs >= nowMs - HONEST_MS_MAX,
      );
      if (isRight || isDoubted) {
        this.#wrongSinceMs.delete(pubkey);
        continue;
      }
      const sinceMs = this.#wrongSinceMs.get(pubkey) ?? nowMs;
      this.#wrongSinceMs.set(pubkey, sinceMs);
      if (nowMs - sinceMs > this.#wrongMsMax) {
        this.#wrongMsMax = nowMs - sinceMs;
        this.worst = `${pubkey} from ${sinceMs} to ${nowMs} is ${shown}`;
      }
    }
  }

  /** All correct sources are trusted, and the book equals the chain. */
  expectTruth(): void {
    const scene = this.#scene;
    const states = scene.merged.readStatus().slice(1);
    expect(states.map(({ name, state, reason }) => ({ name, state, reason }))).toEqual(
      this.#honest.map(({ kind, name }) => ({
        name: `${kind}:${name}`,
        state: 'trusted',
        reason: null,
      })),
    );
    expect(scene.merged.dispute).toBeNull();
    expect(scene.events).toEqual(['opened']);
    for (const pubkey of this.#held.keys()) {
      expect(scene.closed.has(pubkey) ? null : scene.book.get(pubkey)).toBe(
        scene.chain.get(pubkey),
      );
    }
  }
}

const MIXES = [
  ['grpc', 'grpc'],
  ['grpc', 'grpc', 'grpc'],
  ['rpc', 'grpc'],
  ['grpc', 'rpc'],
  ['rpc', 'grpc', 'grpc'],
];

for (const kinds of MIXES) {
  test(`sources: of ${kinds.join(', ')} the first lies, and the book is never wrong for three seconds`, async () => {
    let worst = 0;
    for (let seed = 1; seed <= RUNS / MIXES.length; seed += 1) {
      const random = new Random(seed);
      const scene = await SourceScene.open(kinds);
      const liars = new LiarScene(random, scene);
      const wrongMs = await liars.run();
      expect.soft(wrongMs, `seed ${seed}: ${liars.worst}`).toBeLessThanOrEqual(WRONG_MS_MAX);
      worst = Math.max(worst, wrongMs);
      liars.expectTruth();
      scene.merged.stop();
    }
    expect(worst).toBeGreaterThan(0);
  }, 300_000);
}
