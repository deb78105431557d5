/** Interleaved rounds: ours, peer, ours, peer, and the median of the ratios of the rounds. */

/** Rounds without which a median says nothing. */
export const ROUNDS_MIN = 3;

/** A row that has run this long makes no more than `ROUNDS_MIN` rounds. */
const ROW_BUDGET_MS = 240_000;

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * Times two sides in turns. `ours` and `peer` are functions that run one round and return
 * `{operations, wallNs, cpuNs}`, and what else is to stand beside a side, of one operation: `kernelNs`, in a suite `marginPercent`, in suites and of latencies `p99Ns`; `warmUp` says what runs once before. `judge` says whose ratio is
 * the row's, `wall` or `cpu`; where `better` is `lower` the ratio is ours by the peer's, otherwise
 * the peer's by ours. A row over its time budget stops early; how many rounds it made is in its
 * result.
 */
export async function timeInTurns(sides) {
  const { ours, peer, rounds, warmUp, judge = 'wall', better = 'higher', now = Date.now } = sides;
  for (const run of warmUp) await run();
  const end = now() + ROW_BUDGET_MS;
  const taken = [];
  while (taken.length < rounds && (taken.length < ROUNDS_MIN || now() < end)) {
    const a = perOperation(await ours());
    const b = perOperation(await peer());
    taken.push({ ours: a, peer: b });
  }
  return summarise(taken, { judge, better });
}

function perOperation({ operations, wallNs, cpuNs, ...ofSuite }) {
  return { wallNs: wallNs / operations, cpuNs: cpuNs / operations, ...ofSuite };
}

function summarise(rounds, { judge, better }) {
  const middle = (pick) => median(rounds.map(pick));
  const ratio = (field) => (round) => {
    const byOurs = round.peer[field] / round.ours[field];
    return better === 'higher' ? byOurs : 1 / byOurs;
  };
  // The kernel's share is there in rows of deliveries, the margin in suites, the percentile also of latencies.
  const sideOf = (name) =>
    Object.fromEntries(
      Object.keys(rounds[0][name]).map((field) => [field, middle((round) => round[name][field])]),
    );
  const ratios = rounds.map(ratio(judge === 'cpu' ? 'cpuNs' : 'wallNs'));
  return {
    ours: sideOf('ours'),
    peer: sideOf('peer'),
    judge,
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    ratioCpu: middle(ratio('cpuNs')),
    rounds,
  };
}
