/** JSON-RPC batches, which Surfpool refuses and clients of Solana send: split and joined here. */

/** Calls in one batch: web3.js sends at most 100. */
export const BATCH_CALLS_MAX = 100;

/** The calls of a batch as bodies of their own; undefined for a single call, and for what is no batch. */
export function splitBatch(body: Buffer): readonly Buffer[] | undefined {
  if (!/^\s*\[/.test(body.subarray(0, 16).toString())) return undefined;
  let calls: unknown;
  try {
    calls = JSON.parse(body.toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(calls) || calls.length === 0 || calls.length > BATCH_CALLS_MAX)
    return undefined;
  return calls.map((call) => Buffer.from(JSON.stringify(call)));
}

/** The response to a batch, of the responses to its calls in their order. */
export function joinBatch(responses: readonly Buffer[]): Buffer {
  const parts = responses.flatMap((response) => [Buffer.from(','), response]);
  return Buffer.concat([Buffer.from('['), ...parts.slice(1), Buffer.from(']')]);
}
