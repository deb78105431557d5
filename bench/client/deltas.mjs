/**
 * Deltas applied a second by the library, against a client that is sent the whole book each time and
 * reads it with JSON.parse, as clients of the compatible channel do. `node bench/client/deltas.mjs`.
 *
 * Both end with the same book, which is checked. The whole frame is text within text, so it is parsed
 * twice; `bigint` also makes an integer of each price and size, which the library has done as well.
 * There is no package among the peers that follows deltas: this compares two ways of being told.
 */
import { crc32 } from 'node:zlib';
import { parseExact } from '../../src/client/dist/http/json.js';
import { FollowedBook } from '../../src/client/dist/stream/followed-book.js';

const CHANGES = 20_000;
const ROUNDS = 7;
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
    // Two levels a change: what one maker moves.
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

function applied({ snapshot, deltas }, depth) {
  const book = new FollowedBook({ channel: 'book', market: 'SOL-PERP', depth });
  book.applyFrame(JSON.parse(snapshot));
  const startMs = performance.now();
  let view;
  for (const text of deltas) {
    book.applyFrame(JSON.parse(text));
    view = book.view(true);
  }
  return { perSecond: (deltas.length / (performance.now() - startMs)) * 1_000, book: view };
}

function parsed({ wholes }, asAmount) {
  const startMs = performance.now();
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
  return { perSecond: (wholes.length / (performance.now() - startMs)) * 1_000, book };
}

const plain = (rows) => rows.map(({ price, size }) => `${price} ${size}`).join();
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

for (const depth of [20, 50, 100]) {
  const workload = frames(depth);
  const ways = {
    deltas: () => applied(workload, depth),
    text: () => parsed(workload, (text) => text),
    bigint: () => parsed(workload, BigInt),
  };
  const rates = { deltas: [], text: [], bigint: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const books = Object.entries(ways).map(([name, run]) => {
      const { perSecond, book } = run();
      rates[name].push(perSecond);
      return plain([...book.bids, ...book.asks]);
    });
    if (new Set(books).size !== 1) throw new Error('the books differ');
  }
  const [deltas, text, bigint] = Object.values(rates).map(median);
  const ratio = (other) => `${(deltas / other).toFixed(1)}x`;
  process.stdout.write(
    `depth ${depth}: ${Math.round(deltas)} deltas/s; whole books as text ${Math.round(text)}/s (${ratio(text)}), ` +
      `as bigint ${Math.round(bigint)}/s (${ratio(bigint)})\n`,
  );
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
  const times = { exact: [], plain: [] };
  for (let round = 0; round < 30; round += 1) {
    for (const [way, parse] of [
      ['exact', parseExact],
      ['plain', JSON.parse],
    ]) {
      const startMs = performance.now();
      parse(body);
      times[way].push(performance.now() - startMs);
    }
  }
  const [exact, plainMs] = Object.values(times).map(median);
  process.stdout.write(
    `exact JSON of 1,000 trades, ${name}: ${exact.toFixed(2)} ms, JSON.parse ${plainMs.toFixed(2)} ms\n`,
  );
}
