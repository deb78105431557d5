import { describe, expect, test } from 'vitest';
import { ConfigError, ConfigReader, DEFAULTS, type Environment, type Flags } from './config.js';

const reader = (flags: Flags, environment: Environment = {}): ConfigReader =>
  new ConfigReader(flags, environment);

function expectRefusal(flags: Flags, expected: { code: string; setting: string }): void {
  const read = (): unknown => {
    const config = reader({ rpcUrl: 'http://node.example', ...flags });
    return { ...config.service(), ...config.demo() };
  };
  let error: unknown;
  try {
    read();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toMatchObject(expected);
}

describe('defaults', () => {
  test('demo has all of them', () => {
    expect(reader({}).demo()).toEqual({
      host: '127.0.0.1',
      port: 8080,
      markets: [],
      logLevel: 'info',
      auditIntervalMs: 300_000,
      laggingAfterMs: 2_500,
      staleAfterMs: 5_000,
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      publishIntervalMs: 50,
      socketsPerIp: 100,
      messagesPerSecond: 50,
      requestsPerSecond: 0,
      rate: DEFAULTS.demoRate,
      seed: DEFAULTS.demoSeed,
      makers: 200,
    });
  });

  test('serve needs a cluster', () => {
    expect(reader({}).hasCluster()).toBe(false);
    expect(() => reader({}).service()).toThrow('--rpc-url is missing');
  });
});

describe('sources', () => {
  test('a flag wins over the environment, which wins over the default', () => {
    const environment = { SLOTBOOK_PORT: '9001', SLOTBOOK_HOST: '0.0.0.0' };
    expect(reader({ port: '9002' }, environment).demo()).toMatchObject({
      port: 9002,
      host: '0.0.0.0',
    });
  });

  test('an empty value counts as not given', () => {
    expect(reader({ port: '' }, { SLOTBOOK_PORT: '' }).demo().port).toBe(8080);
  });

  test('SLOTBOOK_RPC_URL names a cluster', () => {
    expect(reader({}, { SLOTBOOK_RPC_URL: 'http://node.example' }).hasCluster()).toBe(true);
  });
});

describe('subscription URL', () => {
  test.each([
    ['https://rpc.example/key', 'wss://rpc.example/key'],
    ['http://127.0.0.1:8899', 'ws://127.0.0.1:8900/'],
    ['http://rpc.example/?api=1', 'ws://rpc.example/?api=1'],
  ])('%s has %s', (rpcUrl, wsUrl) => {
    expect(reader({ rpcUrl }).service().nodes[0].wsUrl).toBe(wsUrl);
  });

  test('a given one is taken', () => {
    const flags = { rpcUrl: 'http://a.example', wsUrl: 'wss://b.example/x' };
    expect(reader(flags).service().nodes[0].wsUrl).toBe('wss://b.example/x');
  });
});

describe('values', () => {
  test('markets are a list of names', () => {
    expect(reader({ markets: 'SOL-PERP, BTC-PERP,,SOL' }).demo().markets).toEqual([
      'SOL-PERP',
      'BTC-PERP',
      'SOL',
    ]);
  });

  test.each([
    [{ port: '99999' }, { code: 'SETTING_OUT_OF_RANGE', setting: '--port' }],
    [{ port: '-1' }, { code: 'SETTING_OUT_OF_RANGE', setting: '--port' }],
    [{ port: 'http' }, { code: 'INVALID_SETTING', setting: '--port' }],
    [{ rate: '0' }, { code: 'SETTING_OUT_OF_RANGE', setting: '--rate' }],
    [{ seed: '1.5' }, { code: 'INVALID_SETTING', setting: '--seed' }],
    [{ makers: '10001' }, { code: 'SETTING_OUT_OF_RANGE', setting: '--makers' }],
    [{ auditIntervalMs: '-1' }, { code: 'SETTING_OUT_OF_RANGE', setting: '--audit-interval-ms' }],
    [{ logLevel: 'loud' }, { code: 'INVALID_SETTING', setting: '--log-level' }],
    [{ programId: '1'.repeat(33) }, { code: 'INVALID_SETTING', setting: '--program-id' }],
    [{ programId: 'z'.repeat(44) }, { code: 'INVALID_SETTING', setting: '--program-id' }],
    [{ programId: 'short' }, { code: 'INVALID_SETTING', setting: '--program-id' }],
    [{ rpcUrl: 'ftp://node.example' }, { code: 'INVALID_SETTING', setting: '--rpc-url' }],
    [{ wsUrl: 'http://node.example' }, { code: 'INVALID_SETTING', setting: '--ws-url' }],
    [{ markets: 'A,'.repeat(300) }, { code: 'SETTING_OUT_OF_RANGE', setting: '--markets' }],
  ])('%j is refused by name', expectRefusal);

  test('a wrong URL is not echoed, because it may carry an access key', () => {
    const read = () => reader({ rpcUrl: 'ftp://node.example/secret' }).service();
    expect(read).toThrow(/^(?!.*secret)/);
  });
});
