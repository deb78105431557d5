/**
 * The rows of `--program velocity`: what the same orders cost in Velocity's accounts, in turns with
 * those of Drift v2. Both books are slotbook's, and have the same levels before they are timed.
 */
import { workloadFile } from '../workload/files.mjs';
import { assertSameTops } from './equality.mjs';
import { FRAMES } from './frame-rows.mjs';
import { timeInTurns } from './rounds.mjs';
import { startServer } from './servers.mjs';

/** Ours is Velocity's side, the peer Drift v2's. */
const PROGRAMS = { ours: 'velocity', peer: 'drift' };
const BARS = { against: 'the same orders of Drift v2', bar: 1.1, wish: 1, better: 'lower' };
/** Accounts of one round, and users whose accounts alternate, as in row 7. */
const FRAME_ROUND = { accounts: 50_000, users: 32, depth: 20 };

const TICKS = { verb: 'tick', words: '10 100 500', events: 2_000, ticks: 20 };
const UPDATES = { verb: 'apply', words: '', events: 15_000, ticks: 20 };
const START = { verb: 'cold', words: '10', events: 0, ticks: 0 };

/** The rows by their ids in the table. */
export const PROGRAM_ROWS = {
  1: (bench) => ofCore(bench, { row: 1, workloads: ['powerlaw-10k', 'uniform-10k'], ...TICKS }),
  3: (bench) =>
    ofCore(bench, { row: 3, workloads: ['powerlaw-open-8', 'uniform-open-32'], ...UPDATES }),
  6: (bench) => ofCore(bench, { row: 6, workloads: ['powerlaw-cold'], ...START }),
  7: (bench) => accountToFrame(bench),
};

async function ofCore({ engines, rounds }, { row, workloads, verb, words, events, ticks }) {
  const { core } = engines;
  const results = [];
  for (const workload of workloads) {
    const [ours, peer] = Object.values(PROGRAMS).map((program) => `${program}-${workload}`);
    await core.ask(`load ${ours} ${workloadFile(workload, PROGRAMS.ours)}`);
    await core.ask(`load ${peer} ${workloadFile(workload, PROGRAMS.peer)}`);
    const tops = async (name) => ({
      name,
      ...(await core.ask(`tops ${name} ${events} ${ticks} 10`)),
    });
    const checked = assertSameTops(await tops(ours), await tops(peer));
    const sides = inTurns((name) => core.ask(`${verb} ${name} ${words}`.trim()), { ours, peer });
    const times = await timeInTurns({ ...sides, rounds, judge: 'cpu', better: 'lower' });
    for (const name of [ours, peer]) await core.ask(`drop ${name}`);
    results.push({ row, work: verb, workload, checked, ...times, ...BARS });
  }
  return results;
}

/** The frames of row 7; both servers have the same book before. */
async function accountToFrame({ rounds }) {
  const { accounts, users, depth } = FRAME_ROUND;
  const [ours, peer] = await Promise.all(
    Object.values(PROGRAMS).map(async (program) => {
      const server = startServer('book-server');
      await server.ask(`load ${workloadFile('powerlaw-10k', program)}`);
      await server.ask(`changes 1 ${users}`);
      return { server, program };
    }),
  );
  const results = [];
  for (const { channel, depth: levels } of FRAMES) {
    const checked = assertSameTops(await topOf(ours), await topOf(peer));
    const frames = ({ server }) => server.ask(`frames ${accounts} ${channel} ${levels}`);
    const sides = inTurns(frames, { ours, peer });
    const times = await timeInTurns({ ...sides, rounds, judge: 'cpu', better: 'lower' });
    const work = `account of base64 to a frame of ${channel}, depth ${levels}`;
    results.push({ row: 7, work, workload: 'powerlaw-10k', checked, ...times, ...BARS });
  }
  await Promise.all([ours, peer].map(({ server }) => server.stop()));
  return results;

  async function topOf({ server, program }) {
    const { body } = await server.ask(`body 0 ${depth}`);
    return { name: program, tops: [{ market: 0, body: JSON.parse(body) }] };
  }
}

/** Each side once before, so that its code and bytes are warm. */
function inTurns(run, { ours, peer }) {
  const [runOurs, runPeer] = [() => run(ours), () => run(peer)];
  return { ours: runOurs, peer: runPeer, warmUp: [runOurs, runPeer] };
}
