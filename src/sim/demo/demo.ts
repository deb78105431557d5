import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.js';
import { PROGRAM_IDS } from '../../contract/program.js';
import { FEW_MARKETS } from '../bytes/market-presets.js';
import { LocalChain } from '../chain/chain-process.js';
import {
  MarketSimulator,
  type MarketSimulatorOptions,
  type SimulatorStep,
} from '../market/market-simulator.js';
import { Relay } from '../relay/relay.js';
import { SimError } from '../sim-error.js';
import { AccountWriter } from './account-writer.js';

/** Interval of the simulator, milliseconds; all due steps run together. */
const BEAT_MS = 10;
/** Maximum due writes after a pause; further ones are dropped. */
const DUE_MAX = 50;
/** Funding period of a market, seconds: short enough that a viewer sees several rates. */
const FUNDING_SECONDS = 20;
/** Auctions of about ten slots, as in the program. */
const AUCTION_SLOTS = { limit: [8, 12], taking: [8, 12] } as const;
/** Time after a failed write in which the chain's exit becomes known, milliseconds. */
const EXIT_NOTICE_MS = 5_000;

/** Options of a demo; all have defaults. */
export interface DemoOptions extends Omit<MarketSimulatorOptions, 'seed'> {
  readonly seed?: number;
  /** Account writes a second, at most 500. */
  readonly rate?: number;
  readonly slotTimeMs?: number;
  /** Loopback port of the relay; 0 for a free one. */
  readonly port?: number;
}

/** Statistics of a demo. */
interface DemoStats {
  /** Account writes that the chain has confirmed. */
  readonly written: number;
  /** Executed transactions: fills and funding rates. */
  readonly sent: number;
  /** Number of account writes that were dropped because the chain or this process was too slow. */
  readonly givenUp: number;
}

/** A local chain with a simulated market. */
export interface Demo {
  /** The chain's RPC URL, through the relay. */
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly programId: string;
  readonly chain: LocalChain;
  readonly relay: Relay;
  readonly simulator: MarketSimulator;
  /**
   * Settles when the simulator ends: fulfilled after `stop`, rejected when the chain fails. The
   * caller must handle the rejection.
   */
  readonly done: Promise<void>;
  stats(): DemoStats;
  /** Reads the identity of the chain. */
  readGenesisHash(): Promise<string>;
  /** Stops the simulator, the relay and the chain. */
  stop(): Promise<void>;
}

/**
 * Starts a chain, writes State, markets, oracles and makers to it, and simulates until `stop`.
 * Resolves when all initial accounts and a first trade of each market are on the chain. When the
 * chain lags, the rate of writes falls and no queue grows.
 */
export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  const { rate = 100, seed = 1, slotTimeMs = 400, port = 0, ...rest } = options;
  const { fundingSeconds = FUNDING_SECONDS, presets = FEW_MARKETS } = rest;
  const programId = PROGRAM_IDS[presets.program];
  if (!(rate >= 1 && rate <= LIMITS.demoRateMax)) {
    throw new SimError('INVALID_OPTION', `rate was ${rate}, must be 1 to ${LIMITS.demoRateMax}`);
  }
  const simulator = new MarketSimulator({
    seed,
    auctionSlots: AUCTION_SLOTS,
    ...rest,
    fundingSeconds,
  });
  const chain = await LocalChain.start({ slotTimeMs });
  const writer = new AccountWriter(chain.rpcUrl);
  let relay: Relay | undefined;
  try {
    relay = await Relay.start(chain, { port });
    await writer.deployProgram(programId);
    await beginMarket({ simulator, chain, writer });
    return runMarket({ simulator, chain, relay, writer, rate, programId });
  } catch (error) {
    writer.close();
    await relay?.stop();
    await chain.stop();
    throw error;
  }
}

/** Writes the initial accounts and the first trades to the chain. */
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
  readonly programId: string;
}

function runMarket({ simulator, chain, relay, writer, rate, programId }: Parts): Demo {
  const pace = new Pace(rate);
  chain.onSlot(({ slot }) => relay.noteSlot(slot));
  const stopping = new AbortController();
  const done = stepMarket({ simulator, chain, writer, pace, signal: stopping.signal });
  return {
    rpcUrl: relay.rpcUrl,
    wsUrl: relay.wsUrl,
    programId,
    chain,
    relay,
    simulator,
    done,
    stats: () => ({
      written: writer.writtenCount,
      sent: writer.sentCount,
      givenUp: Math.round(pace.givenUp),
    }),
    readGenesisHash: () => writer.readGenesisHash(),
    stop: async () => {
      stopping.abort();
      writer.close();
      // `done` reports the failure of the simulator, so `stop` ignores it.
      await done.catch(() => {});
      await relay.stop();
      await chain.stop();
    },
  };
}

/** Counts due writes, and drops those that cannot be caught up. */
class Pace {
  readonly #perMs: number;
  #lastMs = performance.now();
  #due = 0;
  #givenUp = 0;

  constructor(rate: number) {
    this.#perMs = rate / 1_000;
  }

  /** Includes writes that came due while the simulator waits for the chain. */
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
        // One transaction runs at a time: the chain gets slower with its history, and the simulator
        // must not wait.
        const transactions = writer.isSending ? 'unwanted' : 'wanted';
        const step = simulator.nextStep(clockOf(chain), transactions);
        pace.spendWrites(step.writes.length);
        await applyStep(writer, step);
      }
      await sleep(BEAT_MS);
    }
    await writer.flush();
  } catch (error) {
    // Stopping breaks writes in flight, which is not a failure.
    if (!signal.aborted) throw await explainFailure(chain, error);
  }
}

async function applyStep(writer: AccountWriter, { call, writes }: SimulatorStep): Promise<void> {
  if (call !== undefined) return await writer.sendCall(call);
  for (const account of writes) await writer.writeAccount(account);
}

/**
 * Returns the error to report: a write that failed because the chain exited is reported as the
 * exit.
 */
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
