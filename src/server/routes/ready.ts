/** /ready: whether the book is live. */
import { Type } from '@sinclair/typebox';
import { count } from '../api/schema-parts.js';
import { feedState, historyReadiness } from '../api/service-parts.js';
import { bodyOf } from '../api/written-body.js';
import { ServerError } from '../transport/errors.js';
import { jsonReply, type Reply } from '../transport/reply.js';
import type { Path, PathService } from './path.js';

/** The path. */
export const readyPath = {
  summary: 'Whether the book is live',
  kind: 'service',
  body: {
    name: 'Ready',
    schema: Type.Object({
      ready: Type.Boolean(),
      state: feedState,
      slot: count('The newest slot received.'),
      history: Type.Optional(historyReadiness),
    }),
  },
  unlimited: true,
  errors: ['NOT_READY'],
  open: (service) => () => readyReply(service),
} as const satisfies Path;

/** Replies 200 when the service is ready; otherwise throws NOT_READY with the pending condition. */
function readyReply({ readiness, history, ready }: PathService): Reply {
  const waitReason = ready.waitReason();
  if (waitReason !== null) throw new ServerError('NOT_READY', waitReason);
  const { state, slot } = readiness();
  const beside = history && { history: bodyOf(historyReadiness, history.readStats()) };
  return jsonReply(JSON.stringify({ ready: true, state, slot, ...beside }));
}
