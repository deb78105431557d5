import type { NodeRpc } from '../../rpc/node-pool.js';
import { parseClockAccount } from '../model/chain-clock.js';
import { FeedError } from '../model/error.js';
import { CHAIN_TIME_STEP_S_MAX } from '../model/limits.js';
import { CLOCK_KEY, multipleAccountsParams } from '../model/queries.js';
import { parseMultipleAccounts } from '../model/rpc-updates.js';
import { readOther } from './other-nodes.js';
import type { FeedParts } from './parts.js';

/**
 * Takes the chain's time from the node in use while it is unknown: at the start of the service, and
 * after a node was left because of its time. The node's own data cannot contradict the time then,
 * so the other nodes are asked, and this machine's clock if they disagree. Does nothing with one
 * node.
 *
 * # Errors
 * Rejects with CHAIN_CLOCK_OUT_OF_RANGE when another node is more plausible, or with an RpcError.
 */
export async function takeFirstTime(parts: FeedParts, signal: AbortSignal): Promise<void> {
  const { clock, rpc, otherRpcs, timers, counters } = parts;
  if (clock.isTimeKnown || otherRpcs.length === 0) return;
  const readTheirs = (other: NodeRpc) =>
    readOther(timers, signal, (limited) => readClock(other, limited));
  const [own, ...others] = await Promise.all([
    readClock(rpc, signal),
    ...otherRpcs.map(readTheirs),
  ]);
  const seconds = secondsOf(own);
  // Without a Clock the time cannot be judged; later readings report the missing Clock.
  if (own === undefined || own === null || seconds === null) return;
  const theirs = others.map(secondsOf).filter((other) => other !== null);
  if (isLikeliest(seconds, theirs, timers.unixMs() / 1_000)) {
    clock.readAccount(own);
    return;
  }
  counters.clocksRefused += 1;
  const message = `time of the node was ${seconds}, other nodes have ${theirs.join()}`;
  throw new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { seconds, others: theirs.join() });
}

/** Returns the data of the Clock account, base64; null when there is none. */
export async function readClock(rpc: NodeRpc, signal: AbortSignal): Promise<string | null> {
  const params = multipleAccountsParams([CLOCK_KEY]);
  const batch = await rpc.call(
    'getMultipleAccounts',
    params,
    (result) => parseMultipleAccounts([CLOCK_KEY], () => 'clock', result),
    { signal },
  );
  return batch.updates[0]?.data ?? null;
}

function secondsOf(data: string | null | undefined): number | null {
  return parseClockAccount(data ?? '')?.unixSeconds ?? null;
}

/**
 * Returns whether another node agrees, or no other node replies, or this machine's clock is nearer
 * to this time than to any other node's.
 */
function isLikeliest(seconds: number, others: readonly number[], wallS: number): boolean {
  if (others.length === 0) return true;
  if (others.some((other) => Math.abs(other - seconds) <= CHAIN_TIME_STEP_S_MAX)) return true;
  const apart = Math.abs(seconds - wallS);
  return others.every((other) => apart < Math.abs(other - wallS));
}
