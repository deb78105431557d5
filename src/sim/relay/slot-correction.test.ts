import { describe, expect, test } from 'vitest';
import {
  announcedSlot,
  contextSlot,
  isAccountNotification,
  withContextSlot,
} from './slot-correction.js';

describe('slot correction', () => {
  const notification = (context: string, data = 'AAAA') =>
    Buffer.from(
      `{"jsonrpc":"2.0","method":"programNotification","params":{"result":{"context":{${context}},` +
        `"value":{"account":{"data":["${data}","base64"],"note":"\\"context\\":{\\"slot\\":5"}}}}}`,
    );

  test('changes the number and nothing else', () => {
    for (const context of ['"slot":31', '"apiVersion":"4.1.2","slot":31']) {
      const message = notification(context);
      const changed = withContextSlot(message, 123_456);
      expect(contextSlot(changed)).toBe(123_456);
      expect(changed.toString().replace('123456', '31')).toBe(message.toString());
    }
  });

  test('leaves a message without a context at its head as it is', () => {
    const message = Buffer.from(`{"result":"${'x'.repeat(300)}","context":{"slot":3}}`);
    expect(withContextSlot(message, 4)).toBe(message);
    expect(contextSlot(message)).toBeUndefined();
  });

  test('knows the kinds of messages apart', () => {
    const slot = Buffer.from(
      '{"jsonrpc":"2.0","method":"slotNotification","params":{"result":{"parent":31,"root":1,"slot":32}}}',
    );
    expect(announcedSlot(slot)).toBe(32);
    expect(isAccountNotification(slot)).toBe(false);
    expect(isAccountNotification(notification('"slot":31'))).toBe(true);
    expect(announcedSlot(notification('"slot":31', 'A'.repeat(400)))).toBeUndefined();
  });
});
