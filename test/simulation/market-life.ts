/** The life of some markets, made once and played in many runs: who writes which account in which slot. */
import type { ProgramName } from '../../src/contract/program.js';
import { velocityMarkets } from '../../src/sim/bytes/mainnet-presets.js';
import { FEW_MARKETS } from '../../src/sim/bytes/market-presets.js';
import { MarketSimulator } from '../../src/sim/market/market-simulator.js';
import { zstdFrame } from '../support/zstd-frame.js';
import { START_UNIX_MS } from './globals.js';

/** Length of a slot. */
export const SLOT_MS = 400;
/** The slot of the first state. */
export const FIRST_SLOT = 1_000;
/** A run of six minutes, and some slots more. */
export const LIFE_SLOTS = 930;
/** Users: few, so that a run is short. */
const MAKERS = 24;
/** Steps of the markets in one slot. */
const STEPS_PER_SLOT = 1;

/** The whole new state of one account, in all forms in which a node gives it. */
export interface LifeWrite {
  readonly pubkey: string;
  readonly owner: string;
  readonly data: Buffer;
  readonly base64: string;
  readonly zstd: string;
}

/** Some markets from their first state on. */
export interface MarketLife {
  readonly program: ProgramName;
  readonly genesis: readonly LifeWrite[];
  /** What is written in each slot, from 0 on; the last write of an account counts. */
  writesOf(index: number): readonly LifeWrite[];
}

/** No account, and nothing is written. */
export const NO_LIFE: MarketLife = { program: 'drift', genesis: [], writesOf: () => [] };

/** The chain's second in a slot. */
export function unixSecondsOf(slot: number): number {
  return Math.floor((START_UNIX_MS + (slot - FIRST_SLOT) * SLOT_MS) / 1_000);
}

const lives = { drift: new Map<number, MarketLife>(), velocity: new Map<number, MarketLife>() };

/** The life of a seed; each is made once a process. */
export function lifeOf(seed: number, program: ProgramName = 'drift'): MarketLife {
  const life = lives[program].get(seed) ?? makeLife(seed, program);
  lives[program].set(seed, life);
  return life;
}

function makeLife(seed: number, program: ProgramName): MarketLife {
  const presets = program === 'velocity' ? velocityMarkets() : FEW_MARKETS;
  const simulator = new MarketSimulator({ seed, presets, makers: MAKERS, statusChanges: 'some' });
  const genesis = simulator.createGenesis(clockOf(FIRST_SLOT)).map(writeOf);
  const slots = Array.from({ length: LIFE_SLOTS }, (_, index) => {
    return nextSlot(simulator, index, STEPS_PER_SLOT);
  });
  return { program, genesis, writesOf: (index) => slots[index] ?? [] };
}

/** A life without an end on Drift v2; each slot is made when it is asked for, in order, and once. */
export function busyLife(
  seed: number,
  { makers, stepsPerSlot }: { readonly makers: number; readonly stepsPerSlot: number },
): MarketLife {
  const presets = FEW_MARKETS;
  const simulator = new MarketSimulator({ seed, presets, makers, statusChanges: 'some' });
  const genesis = simulator.createGenesis(clockOf(FIRST_SLOT)).map(writeOf);
  const writesOf = (index: number) => nextSlot(simulator, index, stepsPerSlot);
  return { program: 'drift', genesis, writesOf };
}

function clockOf(slot: number): { readonly slot: number; readonly unixSeconds: number } {
  return { slot, unixSeconds: unixSecondsOf(slot) };
}

function nextSlot(simulator: MarketSimulator, index: number, steps: number): readonly LifeWrite[] {
  const written = new Map<string, ReturnType<MarketSimulator['nextWrites']>[number]>();
  for (let step = 0; step < steps; step += 1) {
    for (const write of simulator.nextWrites(clockOf(FIRST_SLOT + index)))
      written.set(write.pubkey, write);
  }
  return [...written.values()].map(writeOf);
}

/** Forms of a write that were asked for. */
class Written implements LifeWrite {
  readonly pubkey: string;
  readonly owner: string;
  readonly data: Buffer;
  #base64: string | null = null;
  #zstd: string | null = null;

  constructor({ pubkey, owner, data }: Omit<LifeWrite, 'base64' | 'zstd'>) {
    this.pubkey = pubkey;
    this.owner = owner;
    this.data = data;
  }

  get base64(): string {
    this.#base64 ??= this.data.toString('base64');
    return this.#base64;
  }

  get zstd(): string {
    this.#zstd ??= zstdFrame(this.data).toString('base64');
    return this.#zstd;
  }
}

/** A write in all forms in which a node gives it. */
export function writeOf(write: Omit<LifeWrite, 'base64' | 'zstd'>): LifeWrite {
  return new Written(write);
}
