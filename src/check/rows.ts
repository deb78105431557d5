/** The rows of a check: a verdict, its reason, and the flag that helps. */
import type { HistoryConfig } from '../config/config.js';
import { SCAN_ALONE_MS_MAX } from '../feed/model/limits.js';
import { hoursOfSlots } from './cost.js';
import { CALL_SLOW_MS } from './limits.js';
import type { ListedPast, NodeReadings, Timed } from './readings.js';
import type { StreamName, WatchedStream } from './watch.js';

/** One checked ability of a node. */
export interface CheckRow {
  readonly name: string;
  readonly state: 'ok' | 'slow' | 'missing';
  readonly reason: string;
  /** The flag of the service that helps; null for `ok`. */
  readonly flag: string | null;
}

/** The chains of Solana, by their genesis hashes. Source: docs.solana.com, clusters. */
const CLUSTERS: Readonly<Record<string, string>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'devnet',
  '4uhcVJyU9pJkvQyUS88uRwiSHscQXcoSa3NvGjRwSNVY': 'testnet',
};

/** The genesis hash and its cluster. */
export function genesisRow(genesis: Timed<string>): CheckRow {
  if ('failure' in genesis) return missing('genesis', genesis.failure, '--rpc-url');
  const cluster = CLUSTERS[genesis.value] ?? 'a chain of its own';
  return ok('genesis', `${cluster}, ${genesis.value}`);
}

/** The slot and the round trip. */
export function slotRow(slot: Timed<number>): CheckRow {
  if ('failure' in slot) return missing('getSlot', slot.failure, '--rpc-url');
  const text = `slot ${slot.value} in ${ms(slot.ms)}`;
  return slot.ms > CALL_SLOW_MS ? slow('getSlot', text, '--fallback-rpc-url') : ok('getSlot', text);
}

/** The difference of this machine's clock from the chain's. */
export function clockRow(
  clock: Timed<number | null>,
  { clockSkewMaxMs, unixMs }: { readonly clockSkewMaxMs: number; readonly unixMs: number },
): CheckRow {
  if ('failure' in clock) return missing('clock', clock.failure, '--rpc-url');
  if (clock.value === null) return missing('clock', 'the node has no Clock account', '--rpc-url');
  const skewMs = unixMs - clock.value * 1_000;
  const text = `this machine is ${seconds(Math.abs(skewMs))} ${skewMs < 0 ? 'behind' : 'ahead of'} the chain`;
  return Math.abs(skewMs) > clockSkewMaxMs
    ? slow('clock', `${text}: set its clock, or the node lags`, '--clock-skew-max-ms')
    : ok('clock', text);
}

/** The scans of users and of markets. */
export function scanRows({ users, markets }: Pick<NodeReadings, 'users' | 'markets'>): CheckRow[] {
  return [usersRow(users), marketsRow(markets)];
}

function usersRow(users: NodeReadings['users']): CheckRow {
  const name = 'getProgramAccounts';
  if ('failure' in users) return missing(name, users.failure, '--snapshot-url');
  const { count, bytes } = users.value;
  const text = `${count} users, ${megabytes(bytes)} in ${ms(users.ms)}`;
  return users.ms > SCAN_ALONE_MS_MAX ? slow(name, text, '--snapshot-url') : ok(name, text);
}

function marketsRow(markets: NodeReadings['markets']): CheckRow {
  if ('failure' in markets) return missing('markets', markets.failure, '--snapshot-url');
  const { count, bytes } = markets.value;
  if (count === 0) return missing('markets', 'the program has none on this chain', '--program-id');
  return ok('markets', `${count} markets, ${megabytes(bytes)} in ${ms(markets.ms)}`);
}

/** The flag for each subscription that is missing or slow. */
const STREAM_FLAGS: Readonly<Record<StreamName, string>> = {
  slots: '--ws-url',
  users: '--grpc-url',
  perps: '--grpc-url',
  spots: '--grpc-url',
  clock: '--grpc-url',
  oracle: '--grpc-url',
  logs: '--no-history',
};

/** The subscriptions with a verdict; those of spot markets and of an oracle are only measured. */
const JUDGED: readonly StreamName[] = ['slots', 'users', 'perps', 'clock', 'logs'];

/** The subscriptions; `closed` is the reason why the socket did not open. */
export function streamRows(
  streams: ReadonlyMap<StreamName, WatchedStream> | null,
  closed: string | null,
  limits: { readonly watchSeconds: number; readonly laggingAfterMs: number },
): readonly CheckRow[] {
  if (streams === null) return [missing('subscriptions', closed ?? '', '--ws-url')];
  return JUDGED.flatMap((name) => {
    const watched = streams.get(name);
    return watched === undefined ? [] : [streamRow(name, watched, limits)];
  });
}

function streamRow(
  name: StreamName,
  { method, refusal, firstMs, count, bytes, gapMsMax }: WatchedStream,
  { watchSeconds, laggingAfterMs }: Parameters<typeof streamRows>[2],
): CheckRow {
  const title = name === 'slots' || name === 'logs' ? method : `${method} ${name}`;
  const flag = STREAM_FLAGS[name];
  if (refusal !== null) return missing(title, refusal, flag);
  if (firstMs === null) return slow(title, `no notification within ${watchSeconds} s`, flag);
  const rate = `${(count / watchSeconds).toFixed(1)} a second, ${Math.round(bytes / watchSeconds)} bytes`;
  const text = `first after ${ms(firstMs)}, ${rate}`;
  const isPaused = (name === 'slots' || name === 'clock') && gapMsMax > laggingAfterMs;
  if (!isPaused)
    return ok(title, name === 'slots' ? `${text}, longest pause ${ms(gapMsMax)}` : text);
  return slow(title, `none for ${seconds(gapMsMax)}: the book would be lagging`, flag);
}

/** The depth of the list of signatures. */
export function pastRow(
  past: Timed<ListedPast>,
  { history }: { readonly history?: HistoryConfig | undefined },
): CheckRow {
  const name = 'getSignaturesForAddress';
  if ('failure' in past) return missing(name, past.failure, '--no-history');
  const { count, firstSlot, newestSlot, isWhole } = past.value;
  const hours = hoursListed(past.value);
  const first = firstSlot === null ? null : hoursOfSlots(newestSlot - firstSlot);
  const whole = isWhole ? 'all there are' : 'and more';
  const block = first === null ? '' : `; its first block is ${hoursText(first)} old`;
  const text = `${count} in ${ms(past.ms)}, ${whole}, over ${hoursText(hours)}${block}`;
  const wanted = history?.backfillHours ?? 0;
  const depth = isWhole ? Number.POSITIVE_INFINITY : Math.max(hours, first ?? 0);
  if (depth >= wanted) return ok(name, text);
  return slow(
    name,
    `${text}: less than the ${wanted} h that an empty history reads`,
    '--backfill-hours',
  );
}

function hoursListed({ newestTs, oldestTs }: ListedPast): number {
  return newestTs === null || oldestTs === null ? 0 : (newestTs - oldestTs) / 3_600;
}

/** Transactions a second of the listed past. */
export function transactionRate(past: ListedPast): number {
  const listedSeconds = hoursListed(past) * 3_600;
  return listedSeconds === 0 ? 0 : past.count / listedSeconds;
}

function ok(name: string, reason: string): CheckRow {
  return { name, state: 'ok', reason, flag: null };
}

function slow(name: string, reason: string, flag: string): CheckRow {
  return { name, state: 'slow', reason, flag };
}

function missing(name: string, reason: string, flag: string): CheckRow {
  return { name, state: 'missing', reason, flag };
}

function ms(value: number): string {
  return value < 10_000 ? `${Math.round(value)} ms` : seconds(value);
}

function seconds(value: number): string {
  return `${(value / 1_000).toFixed(1)} s`;
}

function hoursText(hours: number): string {
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(0)} days`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
