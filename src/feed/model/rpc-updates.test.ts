import { describe, expect, test } from 'vitest';
import { FeedError } from './error.js';
import {
  parseAccountNotification,
  parseMultipleAccounts,
  parseProgramAccounts,
  parseProgramNotification,
} from './rpc-updates.js';

const account = { data: ['AA==', 'base64'], owner: 'o', lamports: 1, space: 1 };
const context = { slot: 7 };

describe('account notification', () => {
  test('the encoding is the one of the answer', () => {
    const value = { ...account, data: ['AA==', 'base64+zstd'] };
    expect(parseAccountNotification('oracle', 'k', { context, value })).toEqual({
      kind: 'oracle',
      pubkey: 'k',
      owner: 'o',
      slot: 7,
      data: 'AA==',
      encoding: 'base64+zstd',
      closed: false,
    });
  });

  test.each([
    ['no lamports', { ...account, lamports: 0 }],
    ['no space', { ...account, space: 0 }],
    ['no data', { ...account, data: ['', 'base64'] }],
    ['null', null],
  ])('%s is a closed account', (_name, value) => {
    expect(parseAccountNotification('oracle', 'k', { context, value })?.closed).toBe(true);
  });

  test.each([
    ['no context', { value: account }],
    ['a negative slot', { context: { slot: -1 }, value: account }],
    ['a broken slot', { context: { slot: 1.5 }, value: account }],
    ['base58', { context, value: { ...account, data: 'abc' } }],
    ['another encoding', { context, value: { ...account, data: ['', 'jsonParsed'] } }],
    ['no owner', { context, value: { ...account, owner: 1 } }],
    ['no object', 3],
    ['nothing', undefined],
  ])('%s is no notification', (_name, result) => {
    expect(parseAccountNotification('oracle', 'k', result)).toBeNull();
  });

  test('a program notification needs its key', () => {
    expect(parseProgramNotification('user', { context, value: { account } })).toBeNull();
    const value = { pubkey: 'k', account };
    expect(parseProgramNotification('user', { context, value })?.pubkey).toBe('k');
  });
});

describe('readings', () => {
  test('an absent account of a list of keys is a closed one', () => {
    const result = { context, value: [account, null] };
    const reading = parseMultipleAccounts(['a', 'b'], () => 'oracle', result);
    expect(reading.updates.map(({ pubkey, closed }) => [pubkey, closed])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  test.each([
    ['a row too few', { context, value: [account] }],
    ['no context', { value: [account, account] }],
    ['no list', { context, value: null }],
  ])('%s makes the whole reading useless', (_name, result) => {
    expect(() => parseMultipleAccounts(['a', 'b'], () => 'oracle', result)).toThrow(FeedError);
  });

  test('an unreadable row is named, and spoils no other one', () => {
    const reading = parseMultipleAccounts(['a', 'b'], () => 'oracle', {
      context,
      value: [account, 5],
    });
    expect([reading.updates.map(({ pubkey }) => pubkey), reading.broken]).toEqual([['a'], ['b']]);
    const rows = [{ pubkey: 'c' }, { pubkey: 'd', account }];
    expect(parseProgramAccounts('state', { context, value: rows }).broken).toEqual(['c']);
    const unnamed = { context, value: [{ account }] };
    expect(() => parseProgramAccounts('state', unnamed)).toThrow(FeedError);
  });

  test('program accounts without context are refused', () => {
    const rows = [{ pubkey: 'k', account }];
    expect(() => parseProgramAccounts('state', rows)).toThrow(FeedError);
    expect(parseProgramAccounts('state', { context, value: rows }).slot).toBe(7);
  });
});
