/**
 * The row `deltas`: deltas applied by the library, against a client that is sent the whole book each time
 * and reads it with JSON.parse, as clients of the compatible channel do; timed by tinybench in turns.
 * Prints one JSON line a measurement. `node --expose-gc bench/client/delta-suite.mjs ROUNDS`.
 *
 * Both end with the same book, which is checked. The whole frame is text within text, so it is parsed
 * twice; `bigint` also makes an integer of each price and size, which the library has done as well.
 * There is no package among the peers that follows deltas: this compares two ways of receiving a book.
 */
import { crc32 } from 'node:zlib';
import { parseExact } from '../../src/client/dist/fields.js';
import { FollowedBook } from '../../src/client/dist/stream/followed-book.js';
import { suiteInTurns } from '../harness/suite.mjs';

const CHANGES = 20_000;
const rounds = Number(process.argv[2]);
const CHECKSUM_ROWS = 10;

/** A seeded walk: sizes change, levels come and go. */
function frames(depth) {
  let seed = 7;
  const random = (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  const sides = { bids: new Map(), asks: new Map() };
  const price = (side, place) =>
    String(side === 'bids' ? 85_000_000 - place * 100 : 85_000_100 + place * 100);
  const row = (name) => {
    const size = String(10_000_000 * (1 + random(900)));
    return [name, size, { dlob: size }];
  };
  for (const side of ['bids', 'asks']) {
    for (let place = 0; place < depth; place += 1)
      sides[side].set(price(side, place), row(price(side, place)));
  }
  const sorted = (side) =>
    [...sides[side].values()].sort((a, b) => (side === 'bids' ? b[0] - a[0] : a[0] - b[0]));
  const head = (seq) => ({
    channel: 'book',
    market: 'SOL-PERP',
    epoch: 'e',
    seq,
    slot: seq,
    ts: seq,
    state: 'live',
  });
  const crc = (bids, asks) => {
    const parts = [];
    for (let at = 0; at < CHECKSUM_ROWS; at += 1)
      for (const one of [bids[at], asks[at]]) if (one) parts.push(one[0], one[1]);
    return crc32(parts.join(':'));
  };
  const [bids, asks] = [sorted('bids'), sorted('asks')];
  const snapshot = JSON.stringify({
    type: 'snapshot',
    topic: 'T',
    ...head(0),
    reset: false,
    bids,
    asks,
    crc: crc(bids, asks),
  });
  const deltas = [];
  const wholes = [];
  for (let seq = 1; seq <= CHANGES; seq += 1) {
    const changed = { bids: [], asks: [] };
    // Two levels a change, as one maker moves.
    for (const side of ['bids', 'asks']) {
      const name = price(side, random(depth));
      const next = sides[side].has(name) && random(8) === 0 ? [name, '0', {}] : row(name);
      changed[side].push(next);
      if (next[1] === '0') sides[side].delete(name);
      else sides[side].set(name, next);
    }
    const now = { bids: sorted('bids'), asks: sorted('asks') };
    deltas.push(
      JSON.stringify({
        type: 'delta',
        topic: 'T',
        ...head(seq),
        prev: seq - 1,
        ...changed,
        crc: crc(now.bids, now.asks),
      }),
    );
    const levels = (rows) => rows.map(([price, size, sources]) => ({ price, size, sources }));
    const data = JSON.stringify({
      bids: levels(now.bids),
      asks: levels(now.asks),
      marketName: 'SOL-PERP',
      ...head(seq),
    });
    // As many whole frames as fit in memory: they are read again and again.
    if (wholes.length < 500 || seq === CHANGES)
      wholes.push(JSON.stringify({ channel: 'orderbook_perp_0', data }));
  }
  return { snapshot, deltas, wholes };
}

/** Applies all deltas to a new book; returns the book. */
function applyDeltas({ snapshot, deltas }, depth) {
  const book = new FollowedBook({ channel: 'book', market: 'SOL-PERP', depth });
  book.applyFrame(JSON.parse(snapshot));
  let view;
  for (const text of deltas) {
    book.applyFrame(JSON.parse(text));
    view = book.viewOf(true);
  }
  return view;
}

/** Reads whole books; returns the last. */
function parseBooks({ wholes }, asAmount) {
  let book;
  for (const text of wholes) {
    const { bids, asks } = JSON.parse(JSON.parse(text).data);
    const read = ({ price, size, sources }) => ({
      price: asAmount(price),
      size: asAmount(size),
      sources,
    });
    book = { bids: bids.map(read), asks: asks.map(read) };
  }
  return book;
}

const plain = ({ bids, asks }) =>
  [...bids, ...asks].map(({ price, size }) => `${price} ${size}`).join();

function print(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

for (const depth of [20, 50, 100]) {
  const workload = frames(depth);
  const ours = {
    run: () => applyDeltas(workload, depth),
    operations: workload.deltas.length,
  };
  for (const [against, asAmount] of [
    ['whole books read as text', (text) => text],
    ['whole books read as bigint', BigInt],
  ]) {
    const peer = {
      run: () => parseBooks(workload, asAmount),
      operations: workload.wholes.length,
    };
    if (plain(ours.run()) !== plain(peer.run())) throw new Error('the books differ');
    const times = await suiteInTurns({ ours, peer, rounds });
    const work = `a delta of two levels parsed, checked and applied, depth ${depth}`;
    print({ work, against, data: `${CHANGES} changes, seed 7`, checked: 1, ...times });
  }
}

const trades = JSON.stringify(
  Array.from({ length: 1_000 }, (_, index) => ({
    fillRecordId: index,
    baseAssetAmountFilled: 1_500_000_000,
    txSig: 'x'.repeat(88),
  })),
);
const large = trades.replaceAll('1500000000', '15000000000000000000');
for (const [name, body] of [
  ['no large integer', trades],
  ['1,000 large integers', large],
]) {
  const side = (parse) => ({ run: () => parse(body), operations: 1 });
  const [ours, peer] = [side(parseExact), side(JSON.parse)];
  const times = await suiteInTurns({ ours, peer, rounds, iterations: 100 });
  const work = `exact JSON of 1,000 trades, ${name}`;
  print({ work, against: 'JSON.parse', data: 'made here', checked: 0, ...times });
}
