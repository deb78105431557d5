/** The AMM's levels, ours against the SDK's generator, from the accounts of captured markets. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { capturedMarkets, moments } from '../differential/vamm-markets.mjs';
import { timeInTurns } from './rounds.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const captured = path.join(root, 'test', 'golden', 'vectors', 'real-accounts');

/** The newest captured markets of two kinds: k below 128 bits, and the most expensive base. */
const MARKETS = ['perp-0-sol-202603', 'perp-1-btc-202506'];

/** Passes of a round: about 0.1 s for ours and one second for the peer. */
const REPEATS = { core: 5_000, sdk: 500 };

/** 100 levels of both sides, with the curve's update and the spreads, as at an oracle tick. */
export async function vammLevels(bench) {
  const markets = capturedMarkets(captured, readFileSync);
  const results = [];
  for (const market of markets.filter(({ name }) => MARKETS.includes(name))) {
    results.push(await levelsOf(bench, market));
  }
  return results;
}

async function levelsOf(bench, { name, bytes }) {
  const hex = bytes.toString('hex');
  const checked = await sameQuotes(bench, name, hex, moments(bytes));
  const [moment] = moments(bytes);
  const time = (engine) => () =>
    bench.engines[engine].ask(`vammtime ${hex} ${moment} ${REPEATS[engine]}`);
  const [ours, peer] = [time('core'), time('sdk')];
  const times = await timeInTurns({ ours, peer, rounds: bench.rounds, warmUp: [ours, peer] });
  const { levels } = await ours();
  const work = `levels of the AMM, both sides, ${levels} in all, with its quote`;
  const bars = { bar: 100, wish: 300, better: 'higher' };
  return {
    row: 'vamm',
    work,
    workload: name,
    data: `captured ${name}`,
    against: 'SDK',
    checked,
    ...times,
    ...bars,
  };
}

/** Compares the quotes and levels of several moments; returns the levels compared. */
async function sameQuotes(bench, name, hex, all) {
  let levels = 0;
  for (const moment of all) {
    const ask = `vamm ${hex} ${moment}`;
    const [ours, theirs] = await Promise.all(
      ['core', 'sdk'].map((engine) => bench.engines[engine].ask(ask)),
    );
    const [left, right] = [ours, theirs].map((quote) => JSON.stringify(quote));
    if (left !== right) throw new Error(`${name}, ${moment} differs:\n${left}\n${right}`);
    levels += ours.bids.length + ours.asks.length;
  }
  return levels;
}
