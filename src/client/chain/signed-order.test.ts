import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClientError } from '../error.js';
import { decodeSignedOrder } from './signed-order.js';

/**
 * A message from before the type was renamed, as drift-rs keeps it
 * (crates/src/swift_order_subscriber.rs deserialize_incoming_signed_message).
 */
const OLD_NAME =
  'b9c165ffdf70594d0001010080841e00000000000000000000000000010000000000000000013201a4e99abc16000000011ab2f982160000000300900f84150000000072753959424c52740000';
/** Of that message, the fields that were always there. */
const ALWAYS_THERE = OLD_NAME.slice(0, -4);

describe('a signed order', () => {
  test('is read under the older name of its type', () => {
    expect(decodeSignedOrder(OLD_NAME)).toMatchObject({
      params: {
        ...{ orderType: 'market', marketType: 'perp', marketIndex: 1, direction: 'short' },
        ...{ baseAssetAmount: 2_000_000n, auctionDuration: 50, maxTs: null },
        ...{ auctionStartPrice: 97_653_549_476n, auctionEndPrice: 96_686_682_650n },
      },
      taker: { signedBy: 'authority', subAccountId: 3 },
      slot: 360_976_272n,
      uuid: 'ru9YBLRt',
    });
  });

  test('may end before the fields that were added later', () => {
    const later = { takeProfit: null, stopLoss: null, maxMarginRatio: null, builderIdx: null };
    expect(decodeSignedOrder(ALWAYS_THERE)).toMatchObject(later);
  });

  test('has what was added later, and bytes behind it are passed over', () => {
    const trigger = '0100e1f505000000000065cd1d00000000';
    const order = decodeSignedOrder(
      `${ALWAYS_THERE}${trigger}0001d00701020105000140420f0000000000ff`,
    );
    expect(order).toMatchObject({
      takeProfit: { triggerPrice: 100_000_000n, baseAssetAmount: 500_000_000n },
      stopLoss: null,
      ...{ maxMarginRatio: 2_000, builderIdx: 2, builderFeeTenthBps: 5 },
      isolatedPositionDeposit: 1_000_000n,
    });
  });

  test('is refused when it is cut within a field', () => {
    for (let end = 0; end < ALWAYS_THERE.length; end += 2) {
      const cut = ALWAYS_THERE.slice(0, end);
      expect(() => decodeSignedOrder(cut), `${end / 2} bytes`).toThrow(ClientError);
    }
    expect(() => decodeSignedOrder(`${ALWAYS_THERE}0100e1f5`)).toThrow(
      /ends 5 bytes before a field/,
    );
  });

  test('is refused with a value that its field cannot have', () => {
    const withByte = (at: number, byte: string): string =>
      `${OLD_NAME.slice(0, 2 * at)}${byte}${OLD_NAME.slice(2 * at + 2)}`;
    expect(() => decodeSignedOrder(withByte(8, '05'))).toThrow('order type was 5');
    expect(() => decodeSignedOrder(withByte(10, '02'))).toThrow('direction was 2');
    expect(() => decodeSignedOrder(withByte(33, '02'))).toThrow('option was 2');
    expect(() => decodeSignedOrder(withByte(0, 'ba'))).toThrow('no signed order starts with');
  });

  test('is refused with its code, whatever the text', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.string().map((text) => OLD_NAME + text),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => {
        return OLD_NAME.slice(0, 16) + Buffer.from(bytes).toString('hex');
      }),
    );
    const code = (text: string): string => {
      try {
        decodeSignedOrder(text);
        return 'read';
      } catch (error) {
        return error instanceof ClientError ? error.code : String(error);
      }
    };
    fc.assert(fc.property(texts, (text) => ['read', 'MALFORMED_MESSAGE'].includes(code(text))));
  });
});
