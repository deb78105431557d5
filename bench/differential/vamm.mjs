/**
 * The AMM's quotes of captured perp markets, ours against the SDK's on the same bytes: the curve,
 * spreads, reserves, open liquidity and every level. Each account is quoted as it was captured, then
 * with fields changed at random, so that every branch of the rules is met.
 *
 * Usage: node bench/differential/vamm.mjs [--seed 1] [--changed 400] [--record FILE]
 *
 * With `--record` nothing is compared: the SDK's answers for the changed markets are written down, one a
 * line, for the tests.
 *
 * Ends with 1 when anything differs, when a captured market has no quote, or when too few changed
 * ones have one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setUp, startEngines } from '../harness/setup.mjs';
import { capturedMarkets, changedMarket, moments, randomOf } from './vamm-markets.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const captured = path.join(root, 'test', 'golden', 'vectors', 'real-accounts');

/** Of the changed markets at least this part must have a quote, else the changes are too wild. */
const QUOTED_PART_MIN = 0.5;

/** Where a moment's words say how many levels are asked, and how many are recorded at most. */
const COUNT_WORD = 4;
const RECORDED_LEVELS_MAX = 6;

/** Differences printed in full. */
const TOLD_MAX = 5;

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      changed: { type: 'string', default: '400' },
      record: { type: 'string' },
    },
  });
  const { record } = values;
  return { seed: Number(values.seed), changed: Number(values.changed), record };
}

async function main() {
  const { seed, changed, record } = readOptions();
  setUp();
  const engines = startEngines();
  if (record !== undefined) {
    await writeAnswers(engines.sdk, record, { seed, changed });
    await Promise.all(Object.values(engines).map((engine) => engine.stop()));
    return;
  }
  const tally = { compared: 0, quoted: 0, levels: 0, sdkOnly: 0, differ: 0, unquoted: [] };
  const compare = (market, moment) => compareOne(engines, tally, market, moment);
  const random = randomOf(seed);
  try {
    const markets = capturedMarkets(captured, readFileSync);
    for (const market of markets) {
      for (const moment of moments(market.bytes)) {
        const quoted = await compare(market, moment);
        if (!quoted) tally.unquoted.push(`${market.name}: ${moment}`);
      }
    }
    const asCaptured = { ...tally };
    for (let index = 0; index < changed; index += 1) {
      const market = changedMarket(markets[index % markets.length], random);
      for (const moment of moments(market.bytes, random)) await compare(market, moment);
    }
    report(seed, markets.length, asCaptured, tally);
  } finally {
    await Promise.all(Object.values(engines).map((engine) => engine.stop()));
  }
}

/** Writes the SDK's answers for changed markets, with few levels each. */
async function writeAnswers(sdk, file, { seed, changed }) {
  const random = randomOf(seed);
  const markets = capturedMarkets(captured, readFileSync);
  const lines = [];
  for (let index = 0; index < changed; index += 1) {
    const { name, bytes } = changedMarket(markets[index % markets.length], random);
    const words = moments(bytes, random)[0].split(' ');
    words[COUNT_WORD] = Math.min(Number(words[COUNT_WORD]), RECORDED_LEVELS_MAX);
    const moment = words.join(' ');
    const answer = await sdk.ask(`vamm ${bytes.toString('hex')} ${moment}`);
    lines.push(JSON.stringify({ name, account: bytes.toString('base64'), moment, answer }));
  }
  writeFileSync(file, `${lines.join('\n')}\n`);
}

/** Compares one market at one moment; returns whether there was a quote. */
async function compareOne({ core, sdk }, tally, { name, bytes }, moment) {
  const command = `vamm ${bytes.toString('hex')} ${moment}`;
  const [ours, theirs] = await Promise.all([core.ask(command), sdk.ask(command)]);
  tally.compared += 1;
  if (!ours.none) {
    tally.quoted += 1;
    tally.levels += ours.bids.length + ours.asks.length;
  }
  if (ours.none && isBeyondNumbers(theirs)) {
    tally.sdkOnly += 1;
    return false;
  }
  const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  const wrong = keys.filter((key) => JSON.stringify(ours[key]) !== JSON.stringify(theirs[key]));
  if (wrong.length > 0) {
    tally.differ += 1;
    if (tally.differ <= TOLD_MAX) tell(name, moment, wrong, ours, theirs);
  }
  return !ours.none;
}

/**
 * The SDK's integers are unbounded and signed: where a reserve, price or size is below zero or
 * above the program's range, the SDK continues, and slotbook has no quote.
 */
function isBeyondNumbers(theirs) {
  if (theirs.none) return false;
  const { curve, reservePrice, bid, ask, bids, asks } = theirs;
  const words = [reservePrice, bid[2], ask[2], ...bids.flat(), ...asks.flat()];
  const isWord = (text) => BigInt(text) > 0n && BigInt(text) < 1n << 64n;
  const isReserve = (text) => BigInt(text) > 0n && BigInt(text) < 1n << 127n;
  return !(words.every(isWord) && [...curve, ...bid, ...ask].every(isReserve));
}

function tell(name, moment, wrong, ours, theirs) {
  const shown = wrong.map(
    (key) => `  ${key}: ours ${JSON.stringify(ours[key])}, SDK ${JSON.stringify(theirs[key])}`,
  );
  process.stderr.write(`${[`${name}, ${moment} differs:`, ...shown].join('\n')}\n`);
}

function report(seed, markets, asCaptured, all) {
  const changedQuotes = all.quoted - asCaptured.quoted;
  const changed = all.compared - asCaptured.compared;
  const lines = [
    `${markets} captured markets, ${asCaptured.compared} moments: ${asCaptured.quoted} quoted`,
    `changed at random, seed ${seed}: ${changed} moments: ${changedQuotes} quoted`,
    `levels compared: ${all.levels}; different: ${all.differ}`,
    `quoted by the SDK alone, with numbers below zero or beyond the program's: ${all.sdkOnly}`,
    ...all.unquoted.map((which) => `captured, without a quote: ${which}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  const tooFew = changedQuotes < changed * QUOTED_PART_MIN;
  if (tooFew) process.stdout.write('too few changed markets have a quote\n');
  if (all.differ > 0 || all.unquoted.length > 0 || tooFew) process.exitCode = 1;
}

await main();
