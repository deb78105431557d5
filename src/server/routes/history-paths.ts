/** The properties that paths of the history share. */

import { LIMITS } from '../../config/limits.js';
import { marketErrors } from '../api/book-parts.js';
import { ContentResponder } from './content-responder.js';
import { HistoryResponder } from './history-responder.js';
import { type HistoryService, shared } from './path.js';

/** The properties. */
export const ofHistory = {
  kind: 'history',
  tagged: true,
  errors: [...marketErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
} as const;

/** The responder of all paths of one market, which share its bounds. */
export const responderOf = shared((service: HistoryService) => new HistoryResponder(service));

/** The responder of the paths of all markets. */
export const summariesOf = shared((service: HistoryService) => new ContentResponder(service));

/**
 * The responder of trades of an account. A market that an account seldom trades in is found by a walk over all
 * its trades, so that one of them runs at a time.
 */
export const accountTradesOf = shared(
  (service: HistoryService) => new ContentResponder(service, { ...LIMITS, historyReadsMax: 1 }),
);
