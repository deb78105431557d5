/**
 * One store in a process of its own: fills it, compares its answers with the written trades, times
 * reads, and serves the trades. Commands on standard input, one JSON reply a line.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cursorOf } from '../../dist/src/history/bodies/cursor.js';
import { candleRules } from '../../dist/src/history/candles/rules.js';
import { openStore } from '../../dist/src/history/store/store.js';
import { fillOf as readFillOf } from '../../dist/src/history/store/testing.js';
import { answerCommands } from '../service/commands.mjs';
import { SYMBOL, serve } from './serve.mjs';
import {
  fillOf,
  MARKETS,
  marketOf,
  ofFirstMarket,
  slotOf,
  transactionsOf,
  tsOf,
} from './trades.mjs';

const GENESIS = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';
/** Trades of one write: the size of a back-fill batch. */
const BATCH_TRADES = 2_000;
/** Trades of a page: the production interface's default. */
const PAGE_ROWS = 20;
/** Minutes of one reading: the most that the interface serves. */
const CANDLES = 1_000;

const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const rules = { rules: candleRules, decimalsOf: () => 9 };
const store = await openStore({ folder, genesisHash: GENESIS, ...rules });
const ids = Array.from({ length: MARKETS }, () => 0n);
let written = 0;

/** Writes up to so many trades; making them is not timed. */
function fill(count) {
  const time = { wallNs: 0, cpuNs: 0, longestWriteMs: 0 };
  const from = written;
  while (written < Number(count)) {
    const to = Math.min(written + BATCH_TRADES, Number(count));
    const transactions = transactionsOf(written, to, ids);
    const taken = timed(() => store.writeBatch({ transactions, progress: { newest: String(to) } }));
    if (taken.result.records.length !== to - written) throw new Error('trades were lost');
    time.wallNs += taken.wallNs;
    time.cpuNs += taken.cpuNs;
    time.longestWriteMs = Math.max(time.longestWriteMs, taken.wallNs / 1e6);
    written = to;
  }
  return { operations: written - from, ...time, bytes: statSync(store.file).size };
}

function timed(work) {
  const [wall, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
  const result = work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    result,
    wallNs: Number(process.hrtime.bigint() - wall),
    cpuNs: (user + system) * 1_000,
  };
}

/** The position before page 1 or a later page of the first market; undefined for page 1. */
function positionOf(page) {
  const last = tradesOfFirstMarket() - (page - 1) * PAGE_ROWS;
  if (page === 1) return undefined;
  const number = ofFirstMarket(last);
  return { slot: slotOf(number), id: BigInt(last + 1) };
}

function tradesOfFirstMarket() {
  return Math.floor(written / 5) * 3;
}

function readPage(page) {
  const before = positionOf(page);
  return store.readRecords({ kind: 'trade', market: 'perp_0', limit: PAGE_ROWS, before });
}

/** Compares a page with the trades that it must have, to the last field. */
function checkPage(page) {
  const rows = readPage(Number(page)).map(readFillOf);
  const newest = tradesOfFirstMarket() - (Number(page) - 1) * PAGE_ROWS;
  if (rows.length !== PAGE_ROWS) throw new Error(`page ${page} had ${rows.length} rows`);
  for (const [at, row] of rows.entries()) {
    const nth = newest - 1 - at;
    const expected = fillOf(ofFirstMarket(nth), BigInt(nth + 1));
    for (const [name, value] of Object.entries(expected)) {
      if (row[name] !== value) throw new Error(`page ${page}, row ${at}: ${name} was ${row[name]}`);
    }
  }
  return { compared: rows.length };
}

function readCandles(end) {
  const to = end === 'newest' ? {} : { to: tsOf(0) + (CANDLES + 10) * 60 };
  return store.readCandles({ market: 'perp_0', minutes: 1, limit: CANDLES, ...to });
}

/** Compares a reading of candles with sums over the trades of the same time. */
function checkCandles(end) {
  const candles = readCandles(end);
  const [from, to] = [candles[0].start, candles.at(-1).start + 60];
  const expected = { base: 0n, quote: 0n, count: 0 };
  for (let number = 0; number < written; number += 1) {
    if (marketOf(number) !== 0 || tsOf(number) < from || tsOf(number) >= to) continue;
    const { baseAssetAmountFilled, quoteAssetAmountFilled } = fillOf(number, 0n);
    expected.base += baseAssetAmountFilled;
    expected.quote += quoteAssetAmountFilled;
    expected.count += 1;
  }
  for (const [name, value] of Object.entries(expected)) {
    const sum = candles.reduce((total, candle) => total + candle[name], value - value);
    if (sum !== value) throw new Error(`${name} of the candles was ${sum}, must be ${value}`);
  }
  return { compared: candles.length };
}

function repeated(read, repeats) {
  const { wallNs, cpuNs } = timed(() => {
    for (let turn = 0; turn < Number(repeats); turn += 1) read();
  });
  return { operations: Number(repeats), wallNs, cpuNs };
}

/** Members of a trade that follow from its number alone. */
const TRADE_MEMBERS = [
  'ts',
  'baseAssetAmountFilled',
  'quoteAssetAmountFilled',
  'takerFee',
  'oraclePrice',
];

/** A page's path, as a client that followed the cursors has it, and the page's expected rows. */
function pagePath(page) {
  const newest = tradesOfFirstMarket() - (Number(page) - 1) * PAGE_ROWS;
  const rows = Array.from({ length: PAGE_ROWS }, (_, at) => {
    const id = newest - at;
    const fill = fillOf(ofFirstMarket(id - 1), BigInt(id));
    const told = TRADE_MEMBERS.map((name) => [name, Number(fill[name])]);
    return { ...Object.fromEntries(told), fillRecordId: id, taker: fill.taker, maker: fill.maker };
  });
  const path = `/trades?symbol=${SYMBOL}&limit=${PAGE_ROWS}`;
  if (Number(page) === 1) return { path, rows };
  const end = { slot: slotOf(ofFirstMarket(newest)), id: BigInt(newest + 1) };
  return { path: `${path}&before=${cursorOf(end, { kind: 'trades', market: 'perp_0' })}`, rows };
}

/** The same of candles, which `checkCandles` has compared with the trades. */
function candlesPath(end) {
  const candles = readCandles(end);
  const rows = candles.map(({ start, base, quote }) => ({
    ...{ ts: start, baseVolume: Number(base) / 1e9, quoteVolume: Number(quote) / 1e6 },
  }));
  const path = `/candles?symbol=${SYMBOL}&resolution=1&limit=${CANDLES}`;
  return { path: end === 'newest' ? path : `${path}&to=${candles.at(-1).start}`, rows };
}

await answerCommands({
  fill,
  checkPage,
  checkCandles,
  page: (page, repeats) => repeated(() => readPage(Number(page)), repeats),
  candles: (end, repeats) => repeated(() => readCandles(end), repeats),
  listen: async () => ({ port: (await serve(store, () => tsOf(written - 1) * 1_000)).port }),
  pagePath,
  candlesPath,
});
