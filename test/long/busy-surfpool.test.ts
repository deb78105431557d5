/** A real chain loses every tenth notification of a user: logs find it, without probes and audits. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM_IDS } from '../../src/contract/program.js';
import { LocalChain } from '../../src/sim/chain/chain-process.js';
import { ChainRpc } from '../../src/sim/chain/chain-rpc.js';
import { patchesBetween } from '../../src/sim/chain/program-call.js';
import { TransactionSender } from '../../src/sim/chain/transaction-sender.js';
import { type AccountWrite, MarketSimulator } from '../../src/sim/market/market-simulator.js';
import { Relay } from '../../src/sim/relay/relay.js';
import { BookTruth, type TrueChain } from '../simulation/book-truth.js';
import { SLOT_MS, writeOf } from '../simulation/market-life.js';
import { type AccountState, kindOfData } from '../simulation/model-chain.js';
import { orderEvent } from '../simulation/model-logs.js';
import { ServiceProbe } from '../support/service-probe.js';
import { until } from '../support/until.js';

/** `npm run test:long -- busy-surfpool` has ten. */
const RUN_MS = Number(process.env['BUSY_MINUTES'] ?? 0.5) * 60_000;
const WRITES_PER_SECOND = 300;
const LOST_ONE_IN = 10;
const MAKERS = 200;
const WRITES_UNDER_WAY_MAX = 4;
/** Of a second write in one slot no log tells that it is lost; a late notification has a later slot. */
const SLOTS_APART = 4;
const CHECK_MS = 800;
/** Slots and checks after a late one, by which an order may be wrong for longer. */
const PAUSES = 15;
const PATCHED_BYTES_MAX = 600;

/** The accounts that Surfpool has, as far as it has confirmed their writes. */
class WrittenChain implements TrueChain {
  readonly program = 'drift';
  readonly hasForked = true;
  readonly accounts = new Map<string, AccountState>();
  truth: BookTruth | null = null;
  written = 0;
  readonly #underWay = new Set<Promise<void>>();
  #begins: Promise<void> = Promise.resolve();

  constructor(
    private readonly local: LocalChain,
    private readonly rpc: ChainRpc,
    private readonly sender: TransactionSender,
  ) {}

  clock = () => this.local.clock ?? { slot: 0, unixSeconds: 0 };

  get slot(): number {
    return this.clock().slot;
  }

  secondOf = () => this.clock().unixSeconds;

  async write(account: AccountWrite): Promise<void> {
    await this.#begins;
    const written = this.#write(account);
    this.#underWay.add(written);
    await written.finally(() => this.#underWay.delete(written));
  }

  /** Looks at the chain while no write is under way, so that what it has is known. */
  async lookAt(look: () => void): Promise<void> {
    this.#begins = this.#lookWhenWritten(look);
    await this.#begins;
  }

  async #lookWhenWritten(look: () => void): Promise<void> {
    do await Promise.all(this.#underWay);
    while (this.#underWay.size > 0);
    look();
  }

  /** A user is written by a transaction whose log names it, all else from outside. */
  async #write(account: AccountWrite): Promise<void> {
    const { pubkey, data } = account;
    const before = this.accounts.get(pubkey)?.write?.data;
    if (before === undefined || kindOfData(data) !== 'user') await this.#replace(account);
    else await this.#transact(account, before);
    this.written += 1;
    const always = { fromMs: 0, untilMs: Number.POSITIVE_INFINITY, isPassing: false, before: null };
    const state = { pubkey, write: writeOf(account), slot: this.slot, ...always };
    this.accounts.set(pubkey, state);
    this.truth?.recordState(state);
  }

  async #replace({ pubkey, owner, data }: AccountWrite): Promise<void> {
    const account = { lamports: 10 ** 8, owner, executable: false, data: data.toString('hex') };
    await this.rpc.call('surfnet_setAccount', [pubkey, account]);
  }

  async #transact(account: AccountWrite, before: Buffer): Promise<void> {
    const { pubkey, data: after } = account;
    const placed = { user: pubkey, second: this.secondOf(), program: PROGRAM_IDS[this.program] };
    const event = { form: 'data', bytes: orderEvent(placed) } as const;
    const patches = patchesBetween(pubkey, { before, after });
    const isLong = patches.reduce((sum, { bytes }) => sum + bytes.length, 0) > PATCHED_BYTES_MAX;
    if (isLong) await this.#replace(account);
    const call = { patches: isLong ? [] : patches, events: [event] };
    await this.sender.sendCall(call, { skipPreflight: true });
  }
}

/** Writes until it is over, at most so many a second: the newest state of an account. */
async function keepWriting(chain: WrittenChain, life: MarketSimulator, endMs: number) {
  const waiting = new Map<string, AccountWrite>();
  const running = new Map<string, Promise<unknown>>();
  for (let dueMs = performance.now(); performance.now() < endMs; ) {
    for (const account of life.nextWrites(chain.clock())) waiting.set(account.pubkey, account);
    for (const [pubkey, account] of waiting) {
      const isEarly = chain.slot < (chain.accounts.get(pubkey)?.slot ?? 0) + SLOTS_APART;
      if (isEarly || running.has(pubkey)) continue;
      waiting.delete(pubkey);
      const written = chain.write(account).finally(() => running.delete(pubkey));
      running.set(pubkey, written);
      dueMs = Math.max(dueMs, performance.now()) + 1_000 / WRITES_PER_SECOND;
      while (running.size >= WRITES_UNDER_WAY_MAX) await Promise.race(running.values());
    }
    await sleep(Math.max(1, dueMs - performance.now()));
  }
  await Promise.all(running.values());
}

test(`a real chain loses every tenth notification for ${RUN_MS / 60_000} minutes: no order is wrong for two seconds`, {
  timeout: RUN_MS + 300_000,
}, async () => {
  const local = await LocalChain.start();
  onTestFinished(() => void local.stop());
  const rpc = new ChainRpc(local.rpcUrl, { connections: WRITES_UNDER_WAY_MAX });
  onTestFinished(() => rpc.close());
  await until('the chain has a clock', () => local.clock !== undefined, 60_000);
  const chain = new WrittenChain(local, rpc, await TransactionSender.deployProgram(rpc));
  const life = new MarketSimulator({ seed: 1, makers: MAKERS, fillsPerSecond: 0 });
  for (const account of life.createGenesis(chain.clock())) await chain.write(account);
  const relay = await Relay.start(local);
  onTestFinished(() => relay.stop());
  const service = await ServiceProbe.start(relay, { probeIntervalMs: '0', auditIntervalMs: '0' });
  onTestFinished(() => service.stop());
  const truth = new BookTruth(chain, null);
  truth.recordMoment(performance.now());
  chain.truth = truth;
  const pausesMs: number[] = [];
  let slotAtMs = performance.now();
  local.onSlot(({ slot }) => {
    relay.noteSlot(slot);
    pausesMs.push(performance.now() - slotAtMs - SLOT_MS);
    slotAtMs = performance.now();
    truth.recordMoment(slotAtMs);
  });
  const users = new Set(life.makers.map(({ pubkey }) => pubkey));
  let told = 0;
  relay.dropNotifications((message) => {
    const pubkey = /"pubkey":"(\w+)"/.exec(message.toString('latin1'))?.[1] ?? '';
    return users.has(pubkey) && told++ % LOST_ONE_IN === 0;
  });
  const beganMs = performance.now();
  const writing = keepWriting(chain, life, beganMs + RUN_MS);
  const found: string[] = [];
  while (performance.now() < beganMs + RUN_MS) {
    const sinceMs = performance.now();
    await sleep(CHECK_MS);
    pausesMs.push(performance.now() - sinceMs - CHECK_MS);
    const blindMs = 2 * Math.max(...pausesMs.slice(-PAUSES));
    await chain.lookAt(() => {
      const nowMs = performance.now();
      truth.recordMoment(nowMs);
      const wrong = truth.findWrong(service.engine, { nowMs, blindMs });
      if (wrong !== null) found.push(`${Math.round(nowMs - beganMs)} ms: ${wrong}`);
    });
  }
  await writing;
  const repairs = await service.metric('slotbook_feed_events_total{event="loggedRepairs"}');
  console.log({ written: chain.written, told, repairs, pauseMs: Math.max(...pausesMs) });
  expect(found).toEqual([]);
  expect(service.states).toEqual(['rebuilding', 'live']);
  expect(repairs).toBeGreaterThan(told / LOST_ONE_IN / 2);
});
