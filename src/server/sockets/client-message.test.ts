import { expect, test } from 'vitest';
import { newServer, openOn } from '../../../test/support/fake-client.js';

const NUMBERS = [
  '0',
  '-0',
  '-7',
  '0.1',
  '9007199254740991',
  '9007199254740993',
  '18446744073709551615',
  '-3338220398172203929',
  '0.10000000000000000001',
  '1e400',
  '1.50',
];

const MESSAGES = [
  ['a ping', '{"type":"ping","id":ID}'],
  ['a subscription', '{"id":ID,"type":"subscribe","channel":"bbo","market":"SOL-PERP"}'],
  ['a wildcard', '{"type":"subscribe","channel":"bbo","market":"*","id":ID}'],
  ['an error', '{"type":"unsubscribe","topic":"bbo:SOL","nested":{"id":1},"id":ID}'],
  ['a repeated member', '{"type":"ping","id":1, "a\\"id" : [{"id":2}], "\\u0069d" : ID }'],
] as const;

const cases = MESSAGES.flatMap(([what, text]) => NUMBERS.map((id) => [what, id, text] as const));

test.each(cases)('the replies to %s repeat the id %s as it came', (_, id, text) => {
  const client = openOn(newServer());
  client.session?.onMessage(text.replace('ID', id));
  expect(client.sent.length).toBeGreaterThan(0);
  for (const reply of client.sent) {
    JSON.parse(reply);
    expect(reply.match(/"id":([^,}]*)/)?.[1]).toBe(id);
  }
});

test('a text has 64 characters at most, each of which may be two units', () => {
  const client = openOn(newServer());
  const ids = ['𝄞'.repeat(64), '𝄞'.repeat(65)];
  const replies = ids.flatMap((id) => client.ask({ type: 'ping', id }));
  expect(replies.map(({ id }) => id)).toEqual([ids[0], undefined]);
});

test('a number that is longer than an id may be is repeated in no reply', () => {
  const client = openOn(newServer());
  client.session?.onMessage(`{"type":"ping","id":1${'0'.repeat(1_000)}}`);
  expect(client.sent).toEqual([expect.not.stringContaining('"id"')]);
});
