import type { ProgramCall } from '../chain/program-call.js';
import { balanceQuotes, setOracle, sweep } from './actions.js';
import { CallDraft } from './call-draft.js';
import { fillMarket } from './fills.js';
import type { SimulatedMarket } from './model.js';
import type { SimulatedMarkets } from './simulated-markets.js';
import { placeTakingIn, uncrossMarket } from './takers.js';

/** Number of makers that quote in a step. */
const QUOTING = 6;
/** Takers that are sent into a market until one is filled. */
const TAKERS_MAX = 6;

/**
 * Passes a longer time in one step: every oracle gets its price, crossed quotes are pulled, some
 * makers quote anew, and each market has a taker. Returns the transactions with fills.
 */
export function passTime(
  sim: SimulatedMarkets,
  priceOf: (market: SimulatedMarket) => bigint,
): readonly ProgramCall[] {
  for (const market of sim.markets) setOracle(sim, market, priceOf(market));
  for (const market of sim.markets) while (uncrossMarket(sim, market));
  for (let count = 0; count < QUOTING; count += 1) balanceQuotes(sim);
  sweep(sim);
  return sim.markets.flatMap((market) => {
    for (let tries = 0; tries < TAKERS_MAX; tries += 1) {
      placeTakingIn(sim, market);
      const draft = new CallDraft(sim);
      if (fillMarket(sim, draft, market)) return [draft.toCall()];
    }
    return [];
  });
}
