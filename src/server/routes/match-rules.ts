/** The combinations of parameters that /match takes. */
import type { MatchRequest } from '../../contract/book-requests.js';
import { missingParamError } from '../api/market-params.js';
import { ServerError } from '../transport/errors.js';

/** Throws a ServerError that names a parameter in conflict with the other parameters. */
export function checkOrder(request: MatchRequest): void {
  checkKind(request);
  checkAuction(request);
}

function checkKind({ orderType, limitPrice, postOnly }: MatchRequest): void {
  if (orderType === 'limit' && limitPrice === undefined) {
    throw missingParamError('limitPrice', 'limitPrice is missing: a limit order needs it');
  }
  if (orderType === 'market' && postOnly) {
    throw conflictError('postOnly', 'postOnly was true, must be false for a market order');
  }
}

/** Source: programs/drift/src/validation/order.rs validate_limit_order_auction_params, validate_auction_params. */
function checkAuction(request: MatchRequest): void {
  const { side, auctionStart, auctionEnd, auctionDuration, limitPrice, postOnly } = request;
  if (auctionStart === undefined || auctionEnd === undefined) return;
  if (auctionDuration === 0 && request.orderType === 'limit') {
    const text = 'must be at least 1 for a limit order with auction prices';
    throw conflictError('auctionDuration', `auctionDuration was 0, ${text}`);
  }
  if (postOnly) {
    throw conflictError('postOnly', 'postOnly was true, must be false for an order in auction');
  }
  const isBuy = side === 'buy';
  const bound = isBuy ? 'at least' : 'at most';
  if (isBuy ? auctionEnd < auctionStart : auctionEnd > auctionStart) {
    const message = `auctionEnd was ${auctionEnd}, must be ${bound} auctionStart, which was ${auctionStart}`;
    throw conflictError('auctionEnd', message);
  }
  if (limitPrice === undefined) return;
  if (isBuy ? limitPrice < auctionEnd : limitPrice > auctionEnd) {
    const message = `limitPrice was ${limitPrice}, must be ${bound} auctionEnd, which was ${auctionEnd}`;
    throw conflictError('limitPrice', message);
  }
}

/** Returns the error of a parameter that conflicts with another parameter. */
export function conflictError(param: string, message: string): ServerError {
  return new ServerError('INVALID_PARAM', message, param);
}
