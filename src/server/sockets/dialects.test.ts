/** Messages for no book channel: pings, market data, and malformed messages. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeClient, newServer, openOn } from '../../../test/support/fake-client.js';

let client: FakeClient;

beforeEach(() => {
  client = openOn(newServer());
});

function expectRefusal(message: object | string, expected: object): void {
  client.session?.onMessage(typeof message === 'string' ? message : JSON.stringify(message));
  const answers = client.taken();
  expect(answers).toHaveLength(1);
  expect(answers[0]).toMatchObject({ type: 'error', message: expect.any(String), ...expected });
  expect(answers[0]).not.toHaveProperty('error');
}

describe('messages of no channel', () => {
  test('a ping gets a pong with the time, and with its id where it has one, a departure', () => {
    const ts = Date.now();
    expect(client.ask({ type: 'PING', id: 'a' })).toEqual([{ type: 'pong', id: 'a', ts }]);
    expect(client.ask({ type: 'ping' })).toEqual([{ type: 'pong', ts }]);
  });

  // Specification: ws-text.
  test.each([
    {},
    { type: 'hello' },
    { type: null },
    { type: ['subscribe'] },
    { channel: 'orderbook' },
    { type: 'hello', channel: 'orderbook' },
    '[]',
    '[{"type":"ping"}]',
    '"subscribe"',
    'null',
    '5',
    'true',
    '',
    '{',
    '{"type":"ping"',
    "{'type':'ping'}",
    '\u{feff}{"type":"ping"}',
  ])('%j is malformed and answered, a departure', (message) =>
    expectRefusal(message, { code: 'MALFORMED_MESSAGE' }),
  );

  test.each([
    ['resolution', { type: 'subscribe', symbol: 'SOL-PERP' }],
    ['symbol', { type: 'subscribe', resolution: '1' }],
    ['symbol', { type: 'subscribe', channelType: 'trades' }],
  ])('a missing %s is named, whatever else there is', (missing, message) =>
    expectRefusal(message, { code: 'MISSING_PARAM', message: `${missing} is missing` }),
  );
});
