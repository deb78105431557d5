/** Messages of the signed-message server, read by the client library. */
import { decodeSignedOrder, type SignedOrder } from '../../src/client/chain/index.js';
import { Cases, type Family, type GoldenFile } from './family.js';

/** The part of such a file that is run. */
interface SignedOrderFile {
  readonly vectors: readonly {
    readonly orderMessageHex: string;
    readonly decoded: unknown;
  }[];
}

export const signedOrderFamily: Family = {
  name: 'signed-orders',
  matches: ({ json }) => {
    const { vectors } = Object(json);
    return Array.isArray(vectors) && Object.hasOwn(Object(vectors[0]), 'orderMessageHex');
  },
  run: ({ json }: GoldenFile) => {
    const cases = new Cases();
    for (const { orderMessageHex, decoded } of (json as SignedOrderFile).vectors) {
      const ours = asRecorded(decodeSignedOrder(orderMessageHex));
      cases.same(orderMessageHex.slice(0, 16), { ours, recorded: decoded });
    }
    return cases.report();
  },
};

/** The names of the program's fields, its wide integers as text. */
function asRecorded({ params, taker, takeProfit, stopLoss, ...rest }: SignedOrder): unknown {
  const recorded = {
    signedMsgOrderParams: params,
    ...(taker.signedBy === 'authority'
      ? { subAccountId: taker.subAccountId }
      : { takerPubkey: taker.account }),
    takeProfitOrderParams: takeProfit,
    stopLossOrderParams: stopLoss,
    ...rest,
  };
  return JSON.parse(JSON.stringify(recorded, (_, part) => asText(part)));
}

const asText = (part: unknown): unknown => (typeof part === 'bigint' ? `${part}` : part);
