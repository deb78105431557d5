import type { EngineStats, MarketInfo, Problem } from './types.js';

/*
 * The texts below are written by the core itself, and their shape is fixed by its tests: this is
 * the one place of the room that says what they are without looking at every member.
 */

interface MarketText extends Omit<MarketInfo, 'tickSize' | 'stepSize' | 'minOrderSize'> {
  readonly tickSize: string;
  readonly stepSize: string;
  readonly minOrderSize: string;
}

export function parseMarkets(text: string): readonly MarketInfo[] {
  const markets = JSON.parse(text) as readonly MarketText[];
  return markets.map((market) => ({
    ...market,
    tickSize: BigInt(market.tickSize),
    stepSize: BigInt(market.stepSize),
    minOrderSize: BigInt(market.minOrderSize),
  }));
}

export function parseProblems(text: string): readonly Problem[] {
  return JSON.parse(text) as readonly Problem[];
}

export function parseStats(text: string): EngineStats {
  return JSON.parse(text) as EngineStats;
}

export function parseStrings(text: string): readonly string[] {
  return JSON.parse(text) as readonly string[];
}
