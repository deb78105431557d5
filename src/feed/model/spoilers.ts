/** Accounts because of which a node refuses a call: all others are read without them. */
import { isRefusalOfItem } from '../../rpc/error.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { SPOILER_REST_MS, SPOILERS_MAX } from './limits.js';
import { CLOCK_KEY } from './queries.js';

/** For each node, accounts whose reads it refuses, with the monotonic time of the next attempt. */
const spoilersByNode = new WeakMap<NodeRpc, Map<string, number>>();

/**
 * Reads accounts in one call. When the node refuses the call because of a few of the accounts, it
 * is read without them, and so are the calls of the next minute.
 *
 * # Errors
 * Rejects with the errors of `read`.
 */
export async function readAround<Value>(
  node: NodeRpc,
  { keys, nowMs }: { readonly keys: readonly string[]; readonly nowMs: number },
  read: (keys: readonly string[]) => Promise<Value>,
): Promise<Value> {
  const spoilers = spoilersByNode.get(node) ?? new Map<string, number>();
  const isGiven = (key: string): boolean => (spoilers.get(key) ?? nowMs) <= nowMs;
  const given = keys.some(isGiven) ? keys.filter(isGiven) : keys;
  try {
    return await read(given);
  } catch (error) {
    const found = await findSpoilers(given, read, error);
    if (found.length === 0) throw error;
    for (const [key, restUntilMs] of spoilers) if (restUntilMs <= nowMs) spoilers.delete(key);
    for (const key of found) spoilers.set(key, nowMs + SPOILER_REST_MS);
    spoilersByNode.set(node, spoilers);
    return readAround(node, { keys, nowMs }, read);
  }
}

/**
 * Returns the accounts because of which a call was refused: it is halved until each part holds one.
 * None when the node refuses the Clock as well, or too many accounts: the node itself fails.
 */
async function findSpoilers(
  keys: readonly string[],
  read: (keys: readonly string[]) => Promise<unknown>,
  error: unknown,
): Promise<readonly string[]> {
  const isRefused = (part: readonly string[]): Promise<boolean> =>
    read(part).then(
      () => false,
      (failure) => isRefusalOfItem(failure),
    );
  if (keys.length < 2 || !isRefusalOfItem(error) || (await isRefused([CLOCK_KEY]))) return [];
  const found: string[] = [];
  for (let parts = [keys]; parts.length > 0; ) {
    const halves = parts.flatMap(halvesOf);
    const refused = await Promise.all(halves.map(isRefused));
    const left = halves.filter((_, index) => refused[index]);
    if (found.length + left.length > SPOILERS_MAX) return [];
    found.push(...left.filter(({ length }) => length === 1).flat());
    parts = left.filter(({ length }) => length > 1);
  }
  return found.length < keys.length ? found : [];
}

function halvesOf(keys: readonly string[]): readonly (readonly string[])[] {
  const middle = keys.length >> 1;
  return [keys.slice(0, middle), keys.slice(middle)];
}
