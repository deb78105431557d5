import { describe, expect, test } from 'vitest';
import { Secrets } from './secrets.js';

function masked(text: string, ...addresses: readonly string[]): string {
  const secrets = new Secrets();
  for (const address of addresses) secrets.addAddress(address);
  return secrets.mask(text);
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('what is secret in an address', () => {
  test.each([
    ['the user', 'postgres://operator:hunter2@db:5432/history', 'operator'],
    ['the password', 'postgres://operator:hunter2@db:5432/history', 'hunter2'],
    ['a user that is a token', 'nats://a-token-of-nats@127.0.0.1', 'a-token-of-nats'],
    ['a part of the path', 'https://node.example/v2/0123456789abcdef/', '0123456789abcdef'],
    ['a value of the query', 'wss://node.example/?api-key=89abcdef', '89abcdef'],
    ['a password of a query', 'postgres://db/history?password=pass7', 'pass7'],
    ['a key behind #', 'https://node.example/#0123456789abcdef', '0123456789abcdef'],
    ['all of a text that is no address', 'htp//node.example/key', 'htp//node.example/key'],
  ])('%s', (_, address, secret) => {
    expect(masked(`bad: ${secret}, "${secret}"/${secret}x`, address)).toBe('bad: ***, "***"/***x');
  });

  test.each([
    ['host and port', 'nats://u:p@node.example:4222', 'node.example:4222'],
    ['short parts', 'https://node.example/v1/rpc?x=short', 'v1/rpc short'],
    ['the name of a database', 'postgres://operator:hunter2@db/my-history', 'my-history'],
    ['the name that every document proposes', 'nats://slotbook:hunter2@db', 'slotbook'],
    ['that name without a password', 'postgres://slotbook@db/slotbook', 'slotbook 0.2.0'],
    ['a login of ops', 'nats://core:hunter2@db', 'another core'],
  ])('%s is shown', (_, address, text) => {
    expect(masked(text, address)).toBe(text);
  });
});

test.each([
  ['percent-encoded', 'pass%20word%2F%C3%A9'],
  ['percent-encoded in small letters', 'pass%20word%2f%c3%a9'],
  ['decoded', 'pass word/é'],
  ['of a form', 'pass+word%2F%C3%A9'],
  ['encoded twice', encodeURIComponent('pass%20word%2F%C3%A9')],
  ['with its user', 'some one:pass word/é'],
  ['in the header of a request', base64('some one:pass word/é')],
])('a password is masked %s', (_, form) => {
  const address = 'https://some%20one:pass%20word%2F%C3%A9@node.example';
  expect(masked(`you sent ${form}.`, address)).toBe('you sent ***.');
});

test('a secret of JSON is masked where it is quoted', () => {
  const secrets = new Secrets();
  secrets.addSecret('a "quoted" token');
  expect(secrets.mask(JSON.stringify({ token: 'a "quoted" token' }))).toBe('{"token":"***"}');
});

test.each(['u', 'no', 'hos', 'a-b', '$.*', '[(]'])('the user %s shreds no word', (user) => {
  const address = `nats://${encodeURIComponent(user)}:hunter2@no-such-host`;
  const text = 'getaddrinfo ENOTFOUND nosuchhost: unhosted';
  expect(masked(text, address)).toBe(text);
  expect(masked(`user "${user}" of ${user}:hunter2`, address)).toBe('user "***" of ***');
  const pair = base64(`${user}:hunter2`);
  expect(masked(`${pair} ${pair.replace(/=+$/, '')}`, address)).toBe('*** ***');
});

test('a secret that contains another one is masked whole', () => {
  expect(masked('key-abcdefgh-long key-abcdefgh', 'http://a/key-abcdefgh/key-abcdefgh-long')).toBe(
    '*** ***',
  );
});
