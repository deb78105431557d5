/** The schema of a merged stream in the body of /status. */
import { Type } from '@sinclair/typebox';
import { wordSchema } from './param-parts.js';
import { count, readAs, text, textOrNull } from './schema-parts.js';

const sourceStatus = Type.Object({
  name: text('Kind, host and port, never a path, a key or a token.'),
  state: readAs(
    'text',
    wordSchema(['closed', 'joining', 'interrupted', 'trusted', 'distrusted'], {
      description: 'A trusted one keeps the book; a distrusted one is compared alone.',
    }),
  ),
  reason: textOrNull('Why it is distrusted, or closed; null when it is neither.'),
  slot: count('The newest slot that it notified; 0 before the first.'),
  slotLag: count('Slots behind the newest of all.'),
  states: count('States that it notified.'),
  wonShare: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
    description: 'The part of them that it notified before all others; null before the first.',
  }),
  leadMs: Type.Union([Type.Number(), Type.Null()], {
    description:
      'How far it is ahead of the others in the mean, negative behind; null while alone.',
  }),
  misses: count('States that others notified, and it did not.'),
  disagreements: count('States that it notified otherwise than others, or that no other did.'),
});

/** All of them. */
export const sourceStatuses = Type.Array(sourceStatus, {
  description: 'The streams that are merged, in their order; left out where there are none.',
});
