/** Row `books`: order books that a user would pick instead, on the same accounts. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineProcess } from './engine-process.mjs';
import { timeInTurns } from './rounds.mjs';

const folder = fileURLToPath(new URL('../peers/books', import.meta.url));
const target = fileURLToPath(new URL('../../target/peer-books', import.meta.url));
const released = path.join(target, 'release');
const PEERS = ['nautilus-model', 'orderbook-rs', 'hftbacktest'];
const WORKS = {
  insert: 'an account with one order more',
  change: 'an account with a fill',
  cancel: 'an account with one order less',
  best: 'the best bid and ask',
  depth: '20 levels of both sides',
};
const DATA = 'one market, 10,000 orders of 1,250 makers at fixed prices';
const BARS = { bar: 1.5, wish: 4, better: 'higher' };

/** The row's results: each peer's times, then each book's memory. */
export async function peerBooks(bench) {
  const build = ['build', '--quiet', '--release', '--locked', '--target-dir', target];
  execFileSync('cargo', build, { cwd: folder, stdio: 'inherit' });
  const books = new EngineProcess(path.join(released, 'slotbook-peer-books'), []);
  try {
    const { compared } = await books.ask('compare');
    const results = [];
    for (const [work, text] of Object.entries(WORKS)) {
      for (const peer of PEERS)
        results.push(await timed(bench, books, { work, text, peer, compared }));
    }
    return [...results, ...PEERS.map(memory)];
  } finally {
    await books.stop();
  }
}

async function timed(bench, books, { work, text, peer, compared: checked }) {
  const [ours, theirs] = ['slotbook', peer].map((book) => () => books.ask(`${work} ${book}`));
  const sides = { ours, peer: theirs, rounds: bench.rounds, warmUp: [ours, theirs], judge: 'cpu' };
  const times = await timeInTurns(sides);
  return {
    row: 'books',
    work: text,
    data: DATA,
    against: peer,
    checked,
    ...times,
    ...BARS,
  };
}

function memory(peer) {
  const [ours, theirs] = ['slotbook', peer].map(bytesAnOrder);
  return {
    ...{ row: 'books', work: `memory an order, ${peer} by ours`, data: DATA, ...BARS },
    value: theirs / ours,
    shown: `${(theirs / ours).toFixed(2)}x (${ours.toFixed(0)} B, ${theirs.toFixed(0)} B)`,
  };
}

function bytesAnOrder(book) {
  const { bytes, orders } = JSON.parse(
    execFileSync(path.join(released, 'memory'), [book], { encoding: 'utf8' }),
  );
  return bytes / orders;
}
