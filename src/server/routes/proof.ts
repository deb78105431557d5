/** /proof: that a market's book is in the signed log. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { selectMarket } from '../api/market-params.js';
import { readQuery } from '../api/param-check.js';
import { market, wholeSchema } from '../api/param-parts.js';
import { count, text } from '../api/schema-parts.js';
import { ServerError } from '../transport/errors.js';
import { jsonReply } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import { NO_PROOF_TEXT } from './log-files.js';
import type { Path, PathService, Route } from './path.js';

const proofParams = Type.Object({
  ...market,
  ts: Type.Optional(
    wholeSchema(
      { min: 0, max: LIMITS.unixSecondsMax * 1_000 },
      'The last entry at or before this time, unix milliseconds; by default the newest.',
    ),
  ),
  seq: Type.Optional(
    wholeSchema(
      { min: 0, max: Number.MAX_SAFE_INTEGER },
      'The first entry at or after this sequence number of the market.',
    ),
  ),
});

/** The path. */
export const proof = {
  summary: "A market's entry in the signed log, with its paths to a checkpoint",
  kind: 'service',
  params: proofParams,
  body: {
    name: 'Proof',
    schema: Type.Object({
      entry: text('The entry of the market, 107 bytes in base64.'),
      place: count('The number of the entry in its leaf.'),
      places: count('Entries of the leaf.'),
      entryPath: text('Hashes from the entry to the root of the leaf, lowest first, in base64.'),
      leaf: text('The leaf, 112 bytes in base64.'),
      index: count('The number of the leaf in the log.'),
      path: text('Hashes from the leaf to the root of the checkpoint, lowest first, in base64.'),
      checkpoint: text('The checkpoint, a signed note.'),
    }),
  },
  errors: ['MISSING_PARAM', 'INVALID_PARAM', 'UNKNOWN_MARKET', 'NO_PROOF', 'NOT_READY'],
  open: proofRoute,
} as const satisfies Path;

function proofRoute({ proofs, directory, readiness }: PathService): Route {
  return ({ query }) => {
    requireFirstBook(readiness());
    const { ts, seq, ...named } = readQuery(proofParams, query);
    if (ts !== undefined && seq !== undefined) {
      throw new ServerError('INVALID_PARAM', 'seq was given together with ts', 'seq');
    }
    if (proofs === undefined) throw new ServerError('NO_PROOF', NO_PROOF_TEXT);
    const at = seq === undefined ? { tsMs: ts ?? Number.POSITIVE_INFINITY } : { seq };
    const found = proofs.findProof(selectMarket(named, directory), at);
    if (found !== null) return jsonReply(JSON.stringify(found));
    const message =
      'no entry of this market is kept for this moment: the log keeps those of an hour';
    throw new ServerError('NO_PROOF', message);
  };
}
