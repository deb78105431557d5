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
 * Times two commands in turns. `ours` and `peer` are functions that run one round and answer
 * `{operations, wallNs, cpuNs}`; `warmUp` says which of them also run once before. A row over its
 * time budget stops early; how many rounds it made is in its result.
 */
export async function timeInTurns({ ours, peer, rounds, warmUp, now = Date.now }) {
  for (const run of warmUp) await run();
  const end = now() + ROW_BUDGET_MS;
  const taken = [];
  while (taken.length < rounds && (taken.length < ROUNDS_MIN || now() < end)) {
    const a = perOperation(await ours());
    const b = perOperation(await peer());
    taken.push({ ours: a, peer: b });
  }
  return summarise(taken);
}

function perOperation({ operations, wallNs, cpuNs }) {
  return { wallNs: wallNs / operations, cpuNs: cpuNs / operations };
}

function summarise(rounds) {
  const middle = (pick) => median(rounds.map(pick));
  const ratios = rounds.map(({ ours, peer }) => peer.wallNs / ours.wallNs);
  return {
    ours: { wallNs: middle((r) => r.ours.wallNs), cpuNs: middle((r) => r.ours.cpuNs) },
    peer: { wallNs: middle((r) => r.peer.wallNs), cpuNs: middle((r) => r.peer.cpuNs) },
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    ratioCpu: middle((r) => r.peer.cpuNs / r.ours.cpuNs),
    rounds,
  };
}
