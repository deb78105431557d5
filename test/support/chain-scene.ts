/** A world whose book is checked against the chain's accounts at every slot. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { SourceStatus } from '../../src/contract/feed-status.js';
import { BookTruth } from '../simulation/book-truth.js';
import { currentMachine } from '../simulation/globals.js';
import { SLOT_MS } from '../simulation/market-life.js';
import type { ModelChain } from '../simulation/model-chain.js';
import { type World, type WorldOptions, world } from '../world/world.js';
import { expectBooks } from './book-judge.js';
import type { AccountBytes } from './local-books.js';
import type { ServiceProbe } from './service-probe.js';
import { until } from './until.js';

/** When a book is called late by default. */
const TIMES = { laggingAfterMs: '2500', staleAfterMs: '5000' } as const;
/** From the beginning of a slot on, all that was written in the one before has arrived by then. */
const ARRIVED_MS = 350;

/** A chain, two nodes unless a test says otherwise, and the service. */
export class ChainScene {
  /** Accounts of a live book that were wrong for too long. */
  readonly wrong: string[] = [];
  #truth: BookTruth;
  #awaited: { readonly slot: number; readonly resolve: () => void }[] = [];

  private constructor(readonly world: World) {
    this.#truth = this.#judge(world.chain);
  }

  static async start({ flags, ...options }: WorldOptions = {}): Promise<ChainScene> {
    return new ChainScene(await world({ nodes: 2, flags: { ...TIMES, ...flags }, ...options }));
  }

  get chain(): ModelChain {
    return this.world.chain;
  }

  get service(): ServiceProbe {
    return this.world.service;
  }

  /** Replaces this chain by another, like the restart of a test chain. */
  replaceChain(seed: number): void {
    this.world.replaceChain(seed);
    this.#truth = this.#judge(this.world.chain);
  }

  async stop(): Promise<void> {
    await this.world.stop();
  }

  /** Waits until so many slots have ended. */
  async passSlots(count: number): Promise<void> {
    const slot = this.chain.slot + count;
    await new Promise<void>((resolve) => this.#awaited.push({ slot, resolve }));
  }

  async sources(): Promise<readonly SourceStatus[]> {
    return (await this.service.json('/status'))['sources'] as readonly SourceStatus[];
  }

  async untilState(at: number, state: SourceStatus['state']): Promise<void> {
    await until(`source ${at} is ${state}`, async () => {
      // A reading is a request, and time costs nothing.
      await sleep(SLOT_MS);
      return (await this.sources())[at]?.state === state;
    });
  }

  /** How often something happened to the feed. */
  async event(name: string): Promise<number> {
    const { text } = await this.service.get('/metrics');
    const count = new RegExp(`^slotbook_feed_events_total{event="${name}"} (\\d+)$`, 'm').exec(
      text,
    );
    expect(count, name).not.toBeNull();
    return Number(count?.[1]);
  }

  /** Every body is that of the chain's accounts, and no order of a live book was wrong for too long. */
  async expectBook(): Promise<void> {
    await this.passSlots(3);
    await sleep(ARRIVED_MS);
    expectBooks(await this.service.read(), this.#accounts());
    expect(this.wrong).toEqual([]);
  }

  /** The book was never anything but live since it first was. */
  expectKept(): void {
    const { states } = this.service;
    expect(states.slice(states.indexOf('live')).filter((state) => state !== 'live')).toEqual([]);
  }

  #judge(chain: ModelChain): BookTruth {
    const { time } = currentMachine();
    const truth = new BookTruth(chain, null);
    chain.listen({
      handleState: (state) => truth.recordState(state),
      handleFork: () => truth.recordMoment(time.nowMs),
      handleSlot: (slot) => {
        for (const one of this.#awaited) if (one.slot <= slot) one.resolve();
        this.#awaited = this.#awaited.filter((one) => one.slot > slot);
        time.plan(0, () => truth.recordMoment(time.nowMs));
        time.plan(ARRIVED_MS, () => this.#check(truth));
      },
    });
    truth.recordMoment(time.nowMs);
    return truth;
  }

  #check(truth: BookTruth): void {
    const { engine } = this.service;
    if (truth !== this.#truth) return;
    if (engine.state !== 'live') truth.forgetWrong();
    else {
      const wrong = truth.findWrong(engine, { nowMs: currentMachine().time.nowMs, blindMs: 0 });
      if (wrong !== null) this.wrong.push(wrong);
    }
  }

  #accounts(): AccountBytes[] {
    return Array.from(this.chain.accounts.values(), ({ pubkey, write }) => {
      return { pubkey, data: write?.data ?? Buffer.alloc(0) };
    });
  }
}
