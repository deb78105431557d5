import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { ClientAddresses } from './client-addresses.js';

const PROXY = '10.0.0.1';
const trusting = new ClientAddresses(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);

interface Way {
  readonly peer?: string;
  readonly proxied?: string;
  readonly forwarded?: string | readonly string[];
}

function clientOf(addresses: ClientAddresses, way: Way): string {
  const { peer = PROXY, proxied = '', forwarded = [] } = way;
  const lines = typeof forwarded === 'string' ? [forwarded] : forwarded;
  return addresses.findClient({
    ...{ peer, isForwarded: lines.some((line) => line !== '') },
    ...{ readProxied: () => proxied, readForwarded: () => lines },
  });
}

describe('behind a trusted proxy the client', () => {
  test.each<[string, Way, string]>([
    ['is the address that it names', { forwarded: '203.0.113.9' }, '203.0.113.9'],
    ['is the proxy itself without one', {}, PROXY],
    ['is the proxy where it names none', { forwarded: ['', ' , ,'] }, PROXY],
    ['is the last address, whatever stands before', { forwarded: '1.1.1.1, 2.2.2.2' }, '2.2.2.2'],
    [
      'is before proxies that are trusted too',
      { forwarded: '1.1.1.1,2.2.2.2,10.3.3.3' },
      '2.2.2.2',
    ],
    ['is on the last of several lines', { forwarded: ['1.1.1.1', '2.2.2.2'] }, '2.2.2.2'],
    ['is before a last line of proxies', { forwarded: ['1.1.1.1', '10.1.1.1'] }, '1.1.1.1'],
    ['is the first of trusted addresses alone', { forwarded: '10.9.9.9, 10.1.1.1' }, '10.9.9.9'],
    ['has no port', { forwarded: '203.0.113.9:50123' }, '203.0.113.9'],
    ['is of IPv6', { forwarded: '2001:db8::1' }, '2001:db8::1'],
    ['is of IPv6 in brackets', { forwarded: '[2001:db8::1]' }, '2001:db8::1'],
    ['is of IPv6 with a port', { forwarded: '[2001:db8::1]:443' }, '2001:db8::1'],
    ['is behind a proxy of IPv6', { peer: 'fd00::1', forwarded: '1.1.1.1' }, '1.1.1.1'],
    ['is behind a mapped proxy', { peer: '::ffff:10.0.0.1', forwarded: '1.1.1.1' }, '1.1.1.1'],
    [
      'is behind a proxy of a dual-stack socket',
      { peer: '0000:0000:0000:0000:0000:ffff:0a00:0001', forwarded: '1.1.1.1, ::ffff:10.1.1.1' },
      '1.1.1.1',
    ],
    ['is that of the PROXY header', { proxied: '203.0.113.9' }, '203.0.113.9'],
    [
      'is that of the PROXY header, whatever it forwards',
      { proxied: '203.0.113.9', forwarded: '1.1.1.1' },
      '203.0.113.9',
    ],
    [
      'is forwarded by the proxy of the PROXY header',
      { proxied: '10.2.2.2', forwarded: '1.1.1.1' },
      '1.1.1.1',
    ],
  ])('%s', (_, way, expected) => {
    expect(clientOf(trusting, way)).toBe(expected);
  });

  test.each([
    'unknown',
    '_hidden',
    '203.0.113.999',
    '203.0.113.9:123456',
    '203.0.113.9:',
    '[2001:db8::1',
    '[203.0.113.9]x',
    '2001:db8::1]:80',
    'for=203.0.113.9',
    '"203.0.113.9"',
    '%00',
    '9'.repeat(20_000),
    '['.repeat(20_000),
    '1.'.repeat(10_000),
  ])('is the proxy where the last entry is no address: %.20s', (entry) => {
    expect(clientOf(trusting, { forwarded: `1.1.1.1, ${entry}` })).toBe(PROXY);
    expect(clientOf(trusting, { forwarded: `1.1.1.1, ${entry}, 10.5.5.5` })).toBe('10.5.5.5');
    expect(clientOf(trusting, { forwarded: `${entry}, 1.1.1.1` })).toBe('1.1.1.1');
  });

  test('is looked for through a bounded number of entries', () => {
    const { forwardedHopsMax } = LIMITS;
    const proxies = (count: number): string[] => Array(count).fill('10.5.5.5');
    const short = ['1.1.1.1', ...proxies(forwardedHopsMax - 1)];
    expect(clientOf(trusting, { forwarded: short.join() })).toBe('1.1.1.1');
    expect(clientOf(trusting, { forwarded: short })).toBe('1.1.1.1');
    const long = ['1.1.1.1', ...proxies(forwardedHopsMax)];
    expect(clientOf(trusting, { forwarded: long.join() })).toBe('10.5.5.5');
    expect(clientOf(trusting, { forwarded: ','.repeat(30_000) })).toBe(PROXY);
  });
});

describe('what others say of their client is not believed', () => {
  test.each<[string, ClientAddresses, Way]>([
    ['a visitor', trusting, { peer: '203.0.113.9', forwarded: '1.1.1.1' }],
    ['a visitor with a PROXY header', trusting, { peer: '203.0.113.9', proxied: '1.1.1.1' }],
    ['a visitor who names a proxy', trusting, { peer: '203.0.113.9', proxied: PROXY }],
    ['a neighbour of a proxy', trusting, { peer: '127.0.0.2', forwarded: '1.1.1.1' }],
    ['anybody without trusted proxies', new ClientAddresses(), { forwarded: '1.1.1.1' }],
    [
      'loopback without trusted proxies',
      new ClientAddresses(),
      { peer: '::1', proxied: '1.1.1.1' },
    ],
  ])('%s', (_, addresses, way) => {
    expect(clientOf(addresses, way)).toBe(way.peer ?? PROXY);
  });
});

test('the first address that forwards and is not trusted is reported, once', () => {
  const reported: string[] = [];
  const addresses = new ClientAddresses(['10.0.0.1'], (peer) => reported.push(peer));
  clientOf(addresses, { forwarded: '203.0.113.9' });
  clientOf(addresses, { peer: '10.0.0.2' });
  expect(reported).toEqual([]);
  for (const peer of ['10.0.0.3', '10.0.0.3', '10.0.0.4'])
    clientOf(addresses, { peer, forwarded: 'x' });
  expect(reported).toEqual(['10.0.0.3']);
});

describe('limits', () => {
  test('leave out loopback only while no proxy is trusted', () => {
    for (const ip of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      expect(new ClientAddresses().limitKey(ip)).toBeUndefined();
      expect(trusting.limitKey(ip)).toBeDefined();
    }
    expect(new ClientAddresses().limitKey('203.0.113.9')).toBe('203.0.113.9');
  });

  test('count an IPv6 network of 64 bits as one, and IPv4 within IPv6 as IPv4', () => {
    expect(trusting.limitKey('2001:db8::1')).toBe(trusting.limitKey('2001:db8::ffff:2'));
    expect(trusting.limitKey('::ffff:1.1.1.1')).toBe(trusting.limitKey('1.1.1.1'));
  });
});
