/**
 * The schemas of the journal in the bodies of /status and /journal, and the parameters of /journal.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { flagSchema, wordSchema } from './param-parts.js';
import { count, readAs, text, textOrNull, unread } from './schema-parts.js';

const state = wordSchema(['starting', 'writing', 'stopped'], {
  description: 'Whether what moves the book is written.',
});
const reason = textOrNull('Why nothing is written; null while all is well.');

const moment = (description: string) =>
  Type.Object(
    { slot: count("The chain's slot."), ts: count('Unix milliseconds.') },
    { description },
  );
const momentOrNull = (description: string) =>
  Type.Union([moment(description), Type.Null()], { description });

/** The journal in the body of /status. */
export const journalStatus = Type.Object({
  state,
  reason,
  segments: count('Its files.'),
  bytes: count('Their bytes.'),
  gaps: count('Times between two ranges of which nothing is kept.'),
  oldest: momentOrNull('The oldest moment that is kept; null without any.'),
  newest: momentOrNull('The newest moment that is written; null without any.'),
  queuedBytes: count('Bytes that wait for its thread, or for NATS.'),
  events: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'Events of the journal in this run, by name.',
  }),
});

/** The parameters of /journal. */
export const journalParams = Type.Object({
  seqs: flagSchema(
    'Whether ranges of the present epoch have the sequence numbers of their markets.',
  ),
});

const range = Type.Object({
  epoch: text('The run of the service on the chain.'),
  first: moment('The first moment that is kept.'),
  last: moment('The last one.'),
  segments: count('Files that hold it.'),
  bytes: count('Their bytes.'),
  seqs: unread(
    Type.Optional(
      Type.Record(
        Type.String(),
        Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }),
        {
          description:
            'The `seq` of each market, by name, at the first checkpoint and at the newest, behind which the range goes on; with `seqs=true`, of the present epoch.',
        },
      ),
    ),
  ),
});

const gap = Type.Object({
  from: moment('The last moment before it.'),
  to: moment('The first moment after it.'),
  reason: readAs(
    'text',
    wordSchema(['restart', 'stopped'], {
      description: 'Whether another run of the service follows, or the journal was stopped.',
    }),
  ),
});

const skipped = Type.Object({
  name: text('Its name.'),
  reason: text('Why it cannot be used.'),
});

const newest = `Oldest first; the newest ${LIMITS.journalListedMax} at most.`;

/** The body of /journal. */
export const journalBody = Type.Object({
  state,
  reason,
  segments: count('Files of all ranges.'),
  bytes: count('Their bytes.'),
  ranges: Type.Array(range, { description: `What is kept without a hole. ${newest}` }),
  gaps: Type.Array(gap, { description: `Between the ranges. ${newest}` }),
  skipped: unread(Type.Array(skipped, { description: 'Files of the folder that cannot be used.' })),
});
