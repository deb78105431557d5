/** The matching walk along resting orders, ours against the SDK's estimate of an entry price. */
import { timeInTurns } from './rounds.mjs';

const [BASE, STEP] = [1_000_000_000, 10_000_000];

/** Sizes that are compared, in whole base: one step, some levels, and more than there is. */
const COMPARED = [STEP / BASE, 1, 7.77, 100, 300, 3_000, 100_000];

/**
 * A taker of 100 base meets some 150 orders; the larger ones take nearly all of a side. The repeats
 * make a round of about 0.1 s for ours, and of one for the peer.
 */
const TAKERS = [
  { workload: 'powerlaw-1k', size: 100, repeats: { core: 2_000, sdk: 100 } },
  { workload: 'powerlaw-1k', size: 300, repeats: { core: 1_000, sdk: 40 } },
  { workload: 'uniform-1k', size: 100, repeats: { core: 4_000, sdk: 100 } },
  { workload: 'uniform-1k', size: 300, repeats: { core: 1_000, sdk: 40 } },
  { workload: 'powerlaw-10k', size: 100, repeats: { core: 1_000, sdk: 100 } },
  { workload: 'powerlaw-10k', size: 3_000, repeats: { core: 50, sdk: 4 } },
  { workload: 'uniform-10k', size: 100, repeats: { core: 4_000, sdk: 100 } },
  { workload: 'uniform-10k', size: 3_000, repeats: { core: 100, sdk: 4 } },
];

/** The walk of each taker: on an unchanged book, after a change, and with its rendered /match body. */
export async function matchingWalk(bench) {
  const results = [];
  for (const workload of new Set(TAKERS.map((taker) => taker.workload))) {
    await bench.load(workload, ['core', 'sdk']);
    const checked = await sameWalks(bench, workload);
    const takers = TAKERS.filter((taker) => taker.workload === workload);
    for (const taker of takers) results.push(...(await walksOf(bench, taker, checked)));
    await bench.drop(workload, ['core', 'sdk']);
  }
  return results;
}

async function walksOf(bench, { workload, size, repeats }, checked) {
  const ask = (engine, verb) => () =>
    bench.engines[engine].ask(`${verb} ${workload} ${size * BASE} ${repeats[engine]}`);
  const peer = ask('sdk', 'walk');
  const inTurns = (ours) => {
    const { rounds } = bench;
    return timeInTurns({ ours, peer, rounds, warmUp: [ours, peer], judge: 'cpu' });
  };
  const [walk, first, body] = ['walk', 'firstwalk', 'match'].map((verb) => ask('core', verb));
  const { parts: fills } = await walk();
  const { parts: bytes } = await body();
  const common = { row: 'walk', workload, against: 'SDK', checked, better: 'higher' };
  const work = `walk of ${size} base, ${fills} fills`;
  const others = { bar: null, wish: 100 };
  return [
    { ...common, work, ...(await inTurns(walk)), bar: 100, wish: 300 },
    { ...common, work: `${work}, queues not in order yet`, ...(await inTurns(first)), ...others },
    { ...common, work: `${work}, body of ${bytes} bytes`, ...(await inTurns(body)), ...others },
  ];
}

/** Compares the fills of buyers and sellers; returns the number of walks compared. */
async function sameWalks(bench, workload) {
  const ask = `walks ${workload} ${COMPARED.map((size) => Math.round(size * BASE)).join(' ')}`;
  const [ours, theirs] = await Promise.all(
    ['core', 'sdk'].map((engine) => bench.engines[engine].ask(ask)),
  );
  ours.walks.forEach((walk, at) => {
    const [left, right] = [walk.join(), theirs.walks[at]?.join()];
    if (left !== right) throw new Error(`walk ${at} of ${workload} is ${left}, the SDK's ${right}`);
  });
  return ours.walks.length;
}
