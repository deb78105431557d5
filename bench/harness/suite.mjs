/** Two sides in one process as the tasks of a tinybench suite, run in turns. */
import { Bench } from 'tinybench';
import { timeInTurns } from './rounds.mjs';

const NS_PER_MS = 1e6;

/**
 * Times two sides in turns by CPU time. A side is `{run, operations}`: `run` does so many
 * operations, and is called `iterations` times a round. The result has, for a single operation, the
 * medians of the rounds, and tinybench's margin of error in percent and 99th percentile of a round.
 */
export function suiteInTurns({ ours, peer, rounds, iterations = 3 }) {
  const bench = new Bench({ time: 0, iterations, warmup: false, throws: true });
  bench.add('ours', ours.run).add('peer', peer.run);
  const [ourTask, peerTask] = bench.tasks;
  const sides = {
    ours: () => timeTask(ourTask, ours.operations),
    peer: () => timeTask(peerTask, peer.operations),
  };
  return timeInTurns({ ...sides, rounds, warmUp: Object.values(sides), judge: 'cpu' });
}

async function timeTask(task, operations) {
  globalThis.gc?.();
  // A task runs once: without a reset every further run returns the first result.
  task.reset();
  const before = process.cpuUsage();
  await task.run();
  const { user, system } = process.cpuUsage(before);
  const { latency, totalTime } = task.result;
  return {
    operations: operations * latency.samplesCount,
    wallNs: totalTime * NS_PER_MS,
    cpuNs: (user + system) * 1_000,
    marginPercent: latency.rme,
    p99Ns: (latency.p99 * NS_PER_MS) / operations,
  };
}
