/**
 * The `@drift-labs/sdk` order book as a benchmark peer: one command a line on standard input, one
 * JSON response a line on standard output. See `verbs` for the commands.
 *
 * It reads the same workload files as slotbook. A command measures the time between `start` and
 * `stop`; everything else (reading files, collecting garbage) is outside.
 */
import { createInterface } from 'node:readline';
import sdk from '@drift-labs/sdk';
import { readWorkload } from '../workload/read.mjs';
import { vamm, vammtime } from './vamm.mjs';
import { walk, walks } from './walk.mjs';

const { BN, DLOB, MarketType, PublicKey, decodeUser } = sdk;

/** `UserStatus.PROTECTED_MAKER`, as `DLOB.initFromUserMap` reads it. */
const PROTECTED_MAKER = 16;

const workloads = new Map();
const bodies = new Map();

const verbs = {
  vamm,
  vammtime: (...words) => vammtime({ start, stop }, ...words),

  /** `load NAME PATH`: reads a workload file. */
  load(name, path) {
    const workload = readWorkload(path);
    for (const record of [...workload.load, ...workload.events]) {
      // A feed has the key as text already, so making that text is not measured.
      if (record.kind === 'account') record.user = new PublicKey(record.key).toBase58();
    }
    workloads.set(name, { ...workload, dlob: null });
    return { records: workload.load.length + workload.events.length };
  },

  /** `drop NAME`: forgets a workload. */
  drop(name) {
    workloads.delete(name);
    return {};
  },

  /** `tops NAME EVENTS TICKS DEPTH`: the top levels after the events, then after each tick. */
  tops(name, events, ticks, depth) {
    const { config, load, events: all } = workloads.get(name);
    const passed = all.slice(0, Number(events));
    const book = buildBook(latestAccounts([...load, ...passed]), config.slot);
    const prices = oraclePrices([...load, ...passed]);
    const tops = allTops(book, prices, config, Number(depth));
    for (const tick of all.slice(Number(events)).filter(isOracle).slice(0, Number(ticks))) {
      prices[tick.market] = tick.price;
      tops.push(topOf(book, tick.market, prices[tick.market], config.slot, Number(depth)));
    }
    return { tops };
  },

  /** `tick NAME DEPTH TICKS REPEATS`: oracle ticks, each to the text of a body. */
  tick(name, depth, ticks, repeats) {
    const workload = workloads.get(name);
    workload.dlob ??= buildBook(workload.load.filter(isAccount), workload.config.slot);
    const prices = workload.events.filter(isOracle).slice(0, Number(ticks));
    const oracles = prices.map(({ price }) => new BN(price));
    let bytes = 0;
    globalThis.gc();
    const clock = start();
    for (let pass = 0; pass < Number(repeats); pass++) {
      for (const price of oracles) {
        bytes += bodyOf(workload.dlob, 0, price, workload.config.slot, Number(depth)).length;
      }
    }
    const operations = oracles.length * Number(repeats);
    return { ...stop(clock, operations), bytes: bytes / operations };
  },

  /** `walks NAME SIZE...`: the fills of takers of these sizes (1e9), buyers and then sellers. */
  walks: (name, ...sizes) => walks(bookOf(name), ...sizes),

  /** `walk NAME SIZE REPEATS`: a buyer and a seller of this size by turns. */
  walk: (name, size, repeats) => walk({ start, stop }, bookOf(name), size, repeats),

  /** `cold NAME DEPTH`: raw accounts to the first body. */
  cold(name, depth) {
    const { config, load } = workloads.get(name);
    const accounts = load.filter(isAccount);
    const price = new BN(oraclePrices(load)[0]);
    globalThis.gc();
    const clock = start();
    const book = buildBook(accounts, config.slot);
    const body = bodyOf(book, 0, price, config.slot, Number(depth));
    return { ...stop(clock, 1), bytes: body.length };
  },

  /** `model NAME JSON`: keeps the plain model of a body; returns whether it writes back equal. */
  model(name, ...text) {
    const body = text.join(' ');
    const model = JSON.parse(body);
    bodies.set(name, model);
    return { equal: JSON.stringify(model) === body };
  },

  /** `render NAME REPEATS`: `JSON.stringify` of a plain model whose numbers are text already. */
  render(name, repeats) {
    const model = bodies.get(name);
    let bytes = 0;
    globalThis.gc();
    const clock = start();
    for (let pass = 0; pass < Number(repeats); pass++) bytes += JSON.stringify(model).length;
    return { ...stop(clock, Number(repeats)), bytes: bytes / Number(repeats) };
  },
};

/** The loaded book of a workload, and the facts at its load. */
function bookOf(name) {
  const workload = workloads.get(name);
  const { config, load } = workload;
  workload.dlob ??= buildBook(load.filter(isAccount), config.slot);
  return { dlob: workload.dlob, slot: config.slot, price: oraclePrices(load)[0] };
}

const isAccount = (record) => record.kind === 'account';
const isOracle = (record) => record.kind === 'oracle';

function start() {
  return { wall: process.hrtime.bigint(), cpu: process.cpuUsage() };
}

function stop({ wall, cpu }, operations) {
  const wallNs = Number(process.hrtime.bigint() - wall);
  const used = process.cpuUsage(cpu);
  return { operations, wallNs, cpuNs: (used.user + used.system) * 1000 };
}

/** The last state of each account, in the order of first sight. */
function latestAccounts(records) {
  const latest = new Map();
  for (const record of records.filter(isAccount)) latest.set(record.user, record);
  return [...latest.values()];
}

function oraclePrices(records) {
  const prices = [];
  for (const { market, price } of records.filter(isOracle)) prices[market] = price;
  return prices;
}

/** Does the work of `DLOB.initFromUserMap` without its map of subscribed users. */
function buildBook(accounts, slot) {
  const book = new DLOB();
  for (const { user, data } of accounts) {
    const account = decodeUser(data);
    const protectedMaker = (account.status & PROTECTED_MAKER) !== 0;
    for (const order of account.orders) {
      book.insertOrder(order, user, slot, protectedMaker, order.baseAssetAmount);
    }
  }
  return book;
}

function levelsOf(book, marketIndex, price, slot, depth) {
  const oraclePriceData = { price, slot: new BN(slot), confidence: new BN(1) };
  const marketType = MarketType.PERP;
  return book.getL2({ marketIndex, marketType, slot, oraclePriceData, depth });
}

/** The body as the SDK's users write it: levels, their numbers as text, one `JSON.stringify`. */
function bodyOf(book, marketIndex, price, slot, depth) {
  const { bids, asks } = levelsOf(book, marketIndex, price, slot, depth);
  return JSON.stringify({ bids: bids.map(textLevel), asks: asks.map(textLevel), slot });
}

function textLevel({ price, size, sources }) {
  const text = {};
  for (const source of Object.keys(sources)) text[source] = sources[source].toString();
  return { price: price.toString(), size: size.toString(), sources: text };
}

function topOf(book, market, price, slot, depth) {
  const { bids, asks } = levelsOf(book, market, new BN(price), slot, depth);
  const pair = (level) => [level.price.toString(), level.size.toString()];
  return { market, bids: bids.map(pair), asks: asks.map(pair) };
}

function allTops(book, prices, config, depth) {
  return prices.map((price, market) => topOf(book, market, price, config.slot, depth));
}

for await (const line of createInterface({ input: process.stdin })) {
  const [verb, ...words] = line.split(' ');
  const answer = verbs[verb] ? verbs[verb](...words) : { error: `unknown command ${verb}` };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
