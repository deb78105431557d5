import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.js';
import { PROGRAM_ID } from '../bytes/keys.js';
import { LocalChain } from '../chain/chain-process.js';
import {
  MarketSimulator,
  type MarketSimulatorOptions,
  type SimulatorStep,
} from '../market/market-simulator.js';
import { Relay } from '../relay/relay.js';
import { SimError } from '../sim-error.js';
import { AccountWriter } from './account-writer.js';

/** How often the simulator runs; steps that are due by then run together. */
const BEAT_MS = 10;
/**
 * Writes that may be due after a pause of the simulator; those beyond are dropped, not
 * caught up.
 */
const DUE_MAX = 50;
/** Time between two funding rates of a market: short enough that a viewer sees some. */
const FUNDING_SECONDS = 20;
/** Auctions of about ten slots, as the program makes them. */
const AUCTION_SLOTS = { limit: [8, 12], taking: [8, 12] } as const;
/** How long after a broken write the exit of the chain may become known. */
const EXIT_NOTICE_MS = 5_000;

/** What a demo is made of; everything has a default. */
export interface DemoOptions extends Omit<MarketSimulatorOptions, 'seed'> {
  readonly seed?: number;
  /** Account writes a second, at most 500. */
  readonly rate?: number;
  readonly slotTimeMs?: number;
  /** Port of the relay on loopback; 0 takes a free one. */
  readonly port?: number;
}

/** How a demo is doing. */
export interface DemoStats {
  /** Account writes that the chain has confirmed. */
  readonly written: number;
  /** Transactions that have taken effect: fills and funding rates. */
  readonly sent: number;
  /** Account writes given up because the chain or this process was too slow for the rate. */
  readonly givenUp: number;
}

/** A local chain with a moving market on it. */
export interface Demo {
  /** Where a client finds the chain, through the relay. */
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly programId: string;
  readonly chain: LocalChain;
  readonly relay: Relay;
  readonly simulator: MarketSimulator;
  /**
   * Settles when the simulator ends: fulfilled after stop, rejected when the chain fails. It must be
   * watched.
   */
  readonly done: Promise<void>;
  stats(): DemoStats;
  /** Stops the simulator, the relay and the chain. */
  stop(): Promise<void>;
}

/**
 * Starts a chain, writes State, markets, oracles and makers into it, and lets them live until
 * `stop`. Ready means that every account of the first state is on the chain, and a first trade of each market. When the chain cannot
 * keep up, the rate sinks; nothing piles up.
 */
export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  const { rate = 100, seed = 1, slotTimeMs = 400, port = 0, ...rest } = options;
  const { fundingSeconds = FUNDING_SECONDS } = rest;
  if (!(rate >= 1 && rate <= LIMITS.demoRateMax)) {
    throw new SimError('INVALID_OPTION', `rate was ${rate}, must be 1 to ${LIMITS.demoRateMax}`);
  }
  const simulator = new MarketSimulator({
    ...{ seed, auctionSlots: AUCTION_SLOTS },
    ...rest,
    fundingSeconds,
  });
  const chain = await LocalChain.start({ slotTimeMs });
  const writer = new AccountWriter(chain.rpcUrl);
  let relay: Relay | undefined;
  try {
    relay = await Relay.start(chain, { port });
    await writer.deployProgram();
    await beginMarket({ simulator, chain, writer });
    return runMarket({ simulator, chain, relay, writer, rate });
  } catch (error) {
    writer.close();
    await relay?.stop();
    await chain.stop();
    throw error;
  }
}

/** Writes the first state of everything and the first trades to the chain. */
async function beginMarket({
  simulator,
  chain,
  writer,
}: Pick<Parts, 'simulator' | 'chain' | 'writer'>): Promise<void> {
  for (const account of simulator.createGenesis(await firstClock(chain)))
    await writer.writeAccount(account);
  await writer.flush();
  for (const step of simulator.openMarkets(clockOf(chain))) await applyStep(writer, step);
  await writer.flush();
}

interface Parts {
  readonly simulator: MarketSimulator;
  readonly chain: LocalChain;
  readonly relay: Relay;
  readonly writer: AccountWriter;
  readonly rate: number;
}

function runMarket({ simulator, chain, relay, writer, rate }: Parts): Demo {
  const pace = new Pace(rate);
  chain.onSlot(({ slot }) => relay.noteSlot(slot));
  const stopping = new AbortController();
  const done = stepMarket({ simulator, chain, writer, pace, signal: stopping.signal });
  return {
    rpcUrl: relay.rpcUrl,
    wsUrl: relay.wsUrl,
    programId: PROGRAM_ID,
    chain,
    relay,
    simulator,
    done,
    stats: () => ({
      written: writer.writtenCount,
      sent: writer.sentCount,
      givenUp: Math.round(pace.givenUp),
    }),
    stop: async () => {
      stopping.abort();
      writer.close();
      // A failure of the simulator is reported by `done`, not once more by the stop.
      await done.catch(() => {});
      await relay.stop();
      await chain.stop();
    },
  };
}

/** Says how many writes are due, and forgets what cannot be caught up. */
class Pace {
  readonly #perMs: number;
  #lastMs = performance.now();
  #due = 0;
  #givenUp = 0;

  constructor(rate: number) {
    this.#perMs = rate / 1_000;
  }

  /** Up to now, also while the simulator waits for the chain. */
  get givenUp(): number {
    this.#advance();
    return this.#givenUp;
  }

  /** Whether a write is due now. */
  isDue(): boolean {
    this.#advance();
    return this.#due >= 1;
  }

  spendWrites(writes: number): void {
    this.#due -= writes;
  }

  #advance(): void {
    const nowMs = performance.now();
    this.#due += (nowMs - this.#lastMs) * this.#perMs;
    this.#lastMs = nowMs;
    if (this.#due > DUE_MAX) {
      this.#givenUp += this.#due - DUE_MAX;
      this.#due = DUE_MAX;
    }
  }
}

interface Running {
  readonly simulator: MarketSimulator;
  readonly chain: LocalChain;
  readonly writer: AccountWriter;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

async function stepMarket({ simulator, chain, writer, pace, signal }: Running): Promise<void> {
  try {
    while (!signal.aborted) {
      while (!signal.aborted && pace.isDue()) {
        // One transaction at a time: the chain slows with all that it has run, the simulator must not wait.
        const transactions = writer.isSending ? 'unwanted' : 'wanted';
        const step = simulator.nextStep(clockOf(chain), transactions);
        pace.spendWrites(step.writes.length);
        await applyStep(writer, step);
      }
      await sleep(BEAT_MS);
    }
    await writer.flush();
  } catch (error) {
    // Stopping breaks what is in flight, and that is no failure.
    if (!signal.aborted) throw await explainFailure(chain, error);
  }
}

async function applyStep(writer: AccountWriter, { call, writes }: SimulatorStep): Promise<void> {
  if (call !== undefined) return await writer.sendCall(call);
  for (const account of writes) await writer.writeAccount(account);
}

/** A write that failed because the chain ended is reported as the end of the chain. */
async function explainFailure(chain: LocalChain, cause: unknown): Promise<unknown> {
  const exit = await Promise.race([chain.exited, sleep(EXIT_NOTICE_MS, undefined, { ref: false })]);
  if (exit === undefined) return cause;
  const how = exit.signal ?? `code ${exit.code}`;
  return new SimError('CHAIN_EXITED', `the local chain ended with ${how}`, { cause, ...exit });
}

function clockOf(chain: LocalChain): { slot: number; unixSeconds: number } {
  if (chain.clock === undefined) throw new Error('Invariant: the chain has announced its clock');
  return chain.clock;
}

/** The first clock comes with the first new slot, that is, within a slot's time of the start. */
async function firstClock(chain: LocalChain): Promise<{ slot: number; unixSeconds: number }> {
  const announced = new Promise<void>((resolve) => {
    const stop = chain.onSlot(() => {
      stop();
      resolve();
    });
  });
  const exit = await Promise.race([announced, chain.exited]);
  if (exit !== undefined) {
    throw new SimError('CHAIN_EXITED', 'the local chain ended before its first slot', { ...exit });
  }
  return clockOf(chain);
}
