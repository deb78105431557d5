/** Splits and joins JSON-RPC batches, which Solana clients send but Surfpool rejects. */

/** Maximum calls in one batch: web3.js sends at most 100. */
export const BATCH_CALLS_MAX = 100;

/** Returns the calls of a batch as separate bodies; undefined for a body that is not a batch. */
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

/** Joins the responses of a batch, in the order of its calls. */
export function joinBatch(responses: readonly Buffer[]): Buffer {
  const parts = responses.flatMap((response) => [Buffer.from(','), response]);
  return Buffer.concat([Buffer.from('['), ...parts.slice(1), Buffer.from(']')]);
}
