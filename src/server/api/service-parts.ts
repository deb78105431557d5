/** Parts of the bodies about the service itself. */
import { Type } from '@sinclair/typebox';
import { READINESS_STATES } from '../../contract/feed-status.js';
import { PROGRAM_NAMES } from '../../contract/program.js';
import { wordSchema } from './param-parts.js';
import { count, countOrNull, mayMiss, readAs, textOrNull, unread } from './schema-parts.js';

/** The state of the service. */
export const feedState = wordSchema(READINESS_STATES, {
  description: 'How fresh the book is; `starting` until it is live for the first time.',
});

/** The program of the book; a client of an older service reads no name. */
export const programName = mayMiss(
  readAs(
    'text',
    wordSchema(PROGRAM_NAMES, { description: 'The program whose rules the accounts follow.' }),
  ),
);

const historyState = wordSchema(['off', 'starting', 'backfilling', 'live', 'failing'], {
  description: 'The state of trades, funding rates and candles.',
});
const whyNotLive = textOrNull(
  'Why the history is not live, or what it lacks while it is; null when it lacks nothing.',
);

/** The history in the body of /ready. */
export const historyReadiness = Type.Object({ state: historyState, reason: whyNotLive });

/** The history in the body of /status. */
export const historyStatus = Type.Object({
  state: historyState,
  reason: whyNotLive,
  trades: count('Trades stored.'),
  fundingRates: count('Funding rates stored.'),
  records: unread(
    Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'Other records stored, by kind.',
    }),
  ),
  truncated: count('Transactions whose log the node had cut.'),
  queued: count('Transactions that wait to be stored.'),
  spansOpen: count('Gaps of older signatures that are still to be fetched.'),
  finalisedSlot: count('All before this slot is complete, but for open gaps.'),
  completeSinceTs: unread(
    countOrNull(
      'Unix seconds from which on all is stored; null while that is unknown or a gap is open.',
    ),
  ),
  newestSlot: count('The newest slot with a trade that was stored in this run; 0 without one.'),
  lagMs: readAs(
    'orNull(decimal)',
    countOrNull('Time from the last live trade to its being stored; null without one.'),
  ),
  missingFills: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
    description: 'Numbers of fills that are missing between stored ones, by market.',
  }),
  storeFailures: count('Writes that the disk refused.'),
  events: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'Events of the history, by name.',
  }),
});
