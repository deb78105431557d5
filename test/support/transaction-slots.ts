import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainRpc } from '../../src/sim/chain/chain-rpc.js';

const POLL_MS = 20;
/** Statuses of a request, which a node takes at most. */
const STATUSES_MAX = 256;
/** How long a transaction may take to reach a slot. */
const WAIT_MS_MAX = 30_000;

/** A transaction that has reached a slot; null before. */
type Status = { readonly slot: number; readonly err: unknown } | null;

/** Returns the slots of transactions, each known in the slot after it. Throws when one has failed. */
export async function slotsOf(
  rpc: ChainRpc,
  signatures: readonly string[],
): Promise<Map<string, number>> {
  const slots = new Map<string, number>();
  const deadlineMs = performance.now() + WAIT_MS_MAX;
  for (let missing = [...new Set(signatures)]; missing.length > 0; ) {
    const asked = missing.slice(0, STATUSES_MAX);
    const { value } = await rpc.call<{ value: Status[] }>('getSignatureStatuses', [asked]);
    asked.forEach((signature, i) => {
      const status = value[i];
      if (status?.err) throw new Error(`${signature} failed: ${JSON.stringify(status.err)}`);
      if (status) slots.set(signature, status.slot);
    });
    missing = missing.filter((signature) => !slots.has(signature));
    if (performance.now() > deadlineMs) throw new Error(`${missing[0]} is in no slot`);
    if (asked.every((signature) => !slots.has(signature))) await sleep(POLL_MS);
  }
  return slots;
}
