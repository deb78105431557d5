import { describe, expect, test } from 'vitest';
import type { Flags } from './setting-reader.js';
import { expectRefusal, reader } from './testing.js';

describe('the aggregator', () => {
  const cluster = { rpcUrl: 'http://node.example', aggregatorUrl: 'https://swap.example/v6' };
  const read = (flags: Flags) => reader({ ...cluster, ...flags }).readService().aggregator;

  test('is off unless its address is given', () => {
    expect(reader({}).readDemo().aggregator).toBeUndefined();
    expect(reader({ rpcUrl: 'http://node.example' }).readService().aggregator).toBeUndefined();
    expect(reader({ ...cluster }).readReplay().aggregator).toBeUndefined();
  });

  test('has defaults for the rest', () => {
    const expected = {
      url: 'https://swap.example/v6',
      markets: [],
      sizes: [100, 1_000, 10_000],
      ...{ intervalMs: 1_000, timeoutMs: 2_000, maxAgeMs: 5_000, requestsPerSecond: 10 },
    };
    expect(read({})).toEqual(expected);
    expect(reader(cluster).readDemo().aggregator).toEqual(expected);
  });

  test('takes a list of sizes and of markets', () => {
    const flags = { aggregatorSizes: '5, 50,500', aggregatorMarkets: 'SOL,jto' };
    expect(read(flags)).toMatchObject({ sizes: [5, 50, 500], markets: ['SOL', 'jto'] });
  });

  test.each([
    [{ aggregatorUrl: 'ftp://swap.example' }, 'INVALID_SETTING', '--aggregator-url'],
    [{ aggregatorSizes: '0' }, 'SETTING_OUT_OF_RANGE', '--aggregator-sizes'],
    [{ aggregatorSizes: '1.5' }, 'SETTING_OUT_OF_RANGE', '--aggregator-sizes'],
    [{ aggregatorSizes: '-5' }, 'SETTING_OUT_OF_RANGE', '--aggregator-sizes'],
    [{ aggregatorSizes: '1000000001' }, 'SETTING_OUT_OF_RANGE', '--aggregator-sizes'],
    [{ aggregatorSizes: '9'.repeat(40) }, 'SETTING_OUT_OF_RANGE', '--aggregator-sizes'],
    [{ aggregatorSizes: '10,10' }, 'SETTING_OUT_OF_RANGE', '--aggregator-sizes'],
    [{ aggregatorSizes: '1,2,3,4,5,6,7,8,9' }, 'SETTING_OUT_OF_RANGE', '--aggregator-sizes'],
    [{ aggregatorIntervalMs: '99' }, 'SETTING_OUT_OF_RANGE', '--aggregator-interval-ms'],
    [{ aggregatorTimeoutMs: 'soon' }, 'INVALID_SETTING', '--aggregator-timeout-ms'],
    [{ aggregatorMaxAgeMs: '999' }, 'SETTING_OUT_OF_RANGE', '--aggregator-max-age-ms'],
    [
      { aggregatorRequestsPerSecond: '0' },
      'SETTING_OUT_OF_RANGE',
      '--aggregator-requests-per-second',
    ],
  ])('%j is refused by name', (flags, code, setting) =>
    expectRefusal({ ...cluster, ...flags }, { code, setting }),
  );

  test('settings without its address are a mistake', () => {
    const setting = '--aggregator-url';
    expectRefusal({ aggregatorSizes: '5' }, { code: 'MISSING_SETTING', setting });
  });

  test('a wrong address is not echoed', () => {
    expect(() => read({ aggregatorUrl: 'ftp://x/secret' })).toThrow(/^(?!.*secret)/);
  });
});
