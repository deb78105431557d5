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
const LIFE_SLOTS = 930;
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
  /** What is written in each slot, from the first on; the last write of an account counts. */
  readonly slots: readonly (readonly LifeWrite[])[];
}

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
  const clockOf = (slot: number) => ({ slot, unixSeconds: unixSecondsOf(slot) });
  const genesis = simulator.createGenesis(clockOf(FIRST_SLOT)).map(writeOf);
  const slots = Array.from({ length: LIFE_SLOTS }, (_, index) => {
    const written = new Map<string, LifeWrite>();
    for (let step = 0; step < STEPS_PER_SLOT; step += 1) {
      for (const write of simulator.nextWrites(clockOf(FIRST_SLOT + index))) {
        written.set(write.pubkey, writeOf(write));
      }
    }
    return [...written.values()];
  });
  return { program, genesis, slots };
}

/** A write in all forms in which a node gives it. */
export function writeOf({ pubkey, owner, data }: Omit<LifeWrite, 'base64' | 'zstd'>): LifeWrite {
  const base64 = data.toString('base64');
  return { pubkey, owner, data, base64, zstd: zstdFrame(data).toString('base64') };
}
