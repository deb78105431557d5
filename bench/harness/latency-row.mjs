/**
 * Row `latency`: a maker's order written on the chain to the last byte of the frame with it at a
 * reader, through the whole service; beside it the way of dlob-server on the same chain.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sendAll, startPeer, startReaders, subscription } from './servers.mjs';
import { installPeers } from './setup.mjs';
import { MAKERS, SETTLED_MS, withChain } from './streamed-chain.mjs';

const MARKET = 'SOL-PERP';
const MARKS = 200;
/** Longer than every spacing, so that no mark overtakes another. */
const GAP_MS = 83;
/** Readers that look for the marks, at most. */
const LOOKING = 20;
/** The book of the last mark has reached every reader after so long. */
const LAST_MS = 3_000;
/** `--stream-interval-ms` without a flag. */
const DEFAULT_INTERVAL_MS = 10;
/** A thousand readers at that interval are more frames than the readers' core can read. */
const CASES = [
  { readers: 1, rate: 300 },
  { readers: 1, rate: 3_000 },
  { readers: 100, rate: 300 },
  { readers: 100, rate: 3_000 },
  { readers: 1_000, rate: 300, intervalMs: 50 },
  { readers: 1_000, rate: 3_000, intervalMs: 50 },
  { readers: 3_000, rate: 300, intervalMs: 50 },
];
const PEER_CASES = CASES.slice(0, 1);
/** dlob-server's ORDERBOOK_UPDATE_INTERVAL. */
const PEER_INTERVAL_MS = 400;
/** The markets of the chain that the SDK reads. */
const MARKETS = [3, 2];

/** The row's results. */
export function latencySeen() {
  installPeers();
  return withChain('scripted', async (chain) => {
    const results = [];
    const service = await chain.serve();
    for (const one of CASES) results.push(await seenBy(chain, service.port, one));
    await service.stop();
    const peer = await startDlob(chain.urls);
    for (const one of PEER_CASES) results.push(await seenBy(chain, peer.port, { ...one, peer }));
    await peer.stop();
    return results;
  });
}

async function startDlob({ rpcUrl, wsUrl, oracles }) {
  const worker = startPeer('dlob-worker');
  await worker.ask(`subscribe ${rpcUrl} ${wsUrl} ${MARKETS.join(' ')} ${oracles.join()}`);
  const { port } = await worker.ask(`serve ${PEER_INTERVAL_MS}`);
  return { port, stop: () => worker.stop() };
}

async function seenBy(chain, port, { readers: count, rate, intervalMs, peer }) {
  const readers = startReaders();
  try {
    await readers.ask(`connect ${port} ${count} plain`);
    const spacing = intervalMs === undefined ? {} : { intervalMs };
    if (peer === undefined) await sendAll(readers, subscription('book', MARKET, spacing));
    await chain.process.ask(`load ${rate}`);
    await sleep(SETTLED_MS);
    // The price is known once it is written.
    const { price, step } = await chain.process.ask('marks 1 0');
    const text = peer === undefined ? `["${price}","` : `{"price":"${price}","size":"`;
    await readers.ask(`mark ${Buffer.from(text).toString('base64')}`);
    await readers.ask('taken');
    const startMs = performance.now();
    const { writtenNs } = await chain.process.ask(`marks ${MARKS} ${GAP_MS}`);
    const { deliveries } = await readers.ask('taken');
    const framesPerSecond = Math.round((deliveries * 1_000) / (performance.now() - startMs));
    await sleep(LAST_MS);
    await chain.process.ask('load 0');
    const { seen } = await readers.ask('seen');
    const delays = delaysOf(seen, { step, writtenNs });
    return resultOf({ count, rate, intervalMs, peer, framesPerSecond }, delays);
  } finally {
    await readers.stop();
  }
}

/** Milliseconds from each mark to the first book with it, or with a newer one, at each reader that looked for it. */
function delaysOf(seen, { step, writtenNs }) {
  const delays = [];
  const next = new Map();
  for (const [reader, digits, ns] of seen) {
    const newest = Number(digits) / step;
    // The first books may have the mark of the case before.
    if (ns < writtenNs[newest - 1]) continue;
    const from = next.get(reader) ?? 0;
    for (const atNs of writtenNs.slice(from, newest)) delays.push((ns - atNs) / 1e6);
    next.set(reader, Math.max(from, newest));
  }
  if (delays.length === 0) throw new Error(`none of ${MARKS} marks came`);
  return delays.sort((one, other) => one - other);
}

function resultOf({ count, rate, intervalMs, peer, framesPerSecond }, delays) {
  const at = (part) => delays[Math.floor((delays.length - 1) * part)];
  const [p50, p99, p999] = [0.5, 0.99, 0.999].map(at);
  const way =
    peer === undefined
      ? `slotbook, at most every ${intervalMs ?? DEFAULT_INTERVAL_MS} ms`
      : `OrderSubscriber, DLOB and whole books every ${PEER_INTERVAL_MS} ms`;
  return {
    ...{
      row: 'latency',
      unit: 'ms',
      value: p50,
      p99,
      p999,
      bar: null,
      wish: null,
      better: 'lower',
    },
    work: `write on the chain to frame at a reader: ${way}`,
    data: `scripted chain, ${MAKERS} makers, ${rate} writes a second, ${count} readers`,
    shown: `${delays.length} of ${MARKS * Math.min(count, LOOKING)} marks: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)}, p99.9 ${p999.toFixed(2)}; ${framesPerSecond.toLocaleString('en')} frames a second`,
  };
}
