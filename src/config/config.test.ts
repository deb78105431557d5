import { describe, expect, test } from 'vitest';
import { PROGRAM_IDS } from '../contract/program.js';
import { RETAIN_DEFAULTS } from '../contract/retain.js';
import { ConfigError } from './config-error.js';
import type { Environment, Flags } from './setting-reader.js';
import { SETTINGS } from './settings.js';
import { expectRefusal, reader } from './testing.js';

test('a switch that turns something on is its flag, or true in the environment', () => {
  const read = (flags: Flags, environment: Environment = {}) =>
    reader(flags, environment).readDemo().compatDefaults;
  expect(read({ compatDefaults: true })).toBe(true);
  expect(read({}, { SLOTBOOK_COMPAT_DEFAULTS: 'true' })).toBe(true);
  expect(read({ compatDefaults: true }, { SLOTBOOK_COMPAT_DEFAULTS: 'false' })).toBe(true);
  expect(read({}, { SLOTBOOK_COMPAT_DEFAULTS: 'false' })).toBe(false);
  expect(() => read({}, { SLOTBOOK_COMPAT_DEFAULTS: 'yes' })).toThrow(ConfigError);
});

describe('defaults', () => {
  test('demo has all of them', () => {
    expect(reader({}).readDemo()).toEqual({
      host: '127.0.0.1',
      port: 8080,
      markets: [],
      logLevel: 'info',
      logFormat: 'auto',
      auditIntervalMs: 300_000,
      probeIntervalMs: 1_000,
      laggingAfterMs: 2_500,
      staleAfterMs: 5_000,
      clockSkewMaxMs: 30_000,
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      publishIntervalMs: 50,
      streamIntervalMs: 10,
      topicsPerSocket: 1_024,
      topicsPerIp: 2_000,
      topicsMax: 8_000,
      socketsPerIp: 100,
      messagesPerSecond: 50,
      messageBurst: 1_024,
      socketBacklogMegabytes: 256,
      requestsPerSecond: 0,
      trustedProxies: [],
      quoteMakers: [],
      indicativePolicy: 'join',
      compatDefaults: false,
      rate: SETTINGS.rate.default,
      seed: SETTINGS.seed.default,
      makers: 200,
      fillsPerSecond: 1,
      program: 'drift',
      fundingSeconds: 20,
      marketsPreset: 'few',
      history: {
        dataDir: undefined,
        retain: { ...RETAIN_DEFAULTS },
        candleRetentionDays: 0,
        backfillHours: 24,
        backfillTransactionsMax: 50_000,
        requestsPerSecond: 50,
      },
      journal: { dataDir: undefined, days: 7, bytesMax: 10 * 1024 ** 3 },
    });
  });

  test('serve needs a cluster', () => {
    expect(reader({}).hasCluster()).toBe(false);
    expect(() => reader({}).readService()).toThrow('--rpc-url is missing');
  });
});

describe('the history', () => {
  const service = (flags: Flags, environment: Environment = {}) =>
    reader({ rpcUrl: 'http://node.example', ...flags }, environment).readService().history;

  test('is on, in a folder below the present one, and off when that is said', () => {
    expect(service({})?.dataDir).toBe('slotbook-data');
    expect(service({ history: true })).toEqual(service({}));
    expect(service({ history: false })).toBeUndefined();
    expect(service({ history: 'false' })).toBeUndefined();
    expect(service({ history: 'true' })).toEqual(service({}));
    expect(service({ history: true }, { SLOTBOOK_NO_HISTORY: 'true' })).toBeUndefined();
    expect(service({ history: false }, { SLOTBOOK_NO_HISTORY: 'false' })).toBeUndefined();
  });

  test('keeps records of a kind for the days that are said, and others as always', () => {
    const { history } = reader({ retain: 'trades=30, orders=0' }).readDemo();
    expect(history?.retain).toEqual({ ...RETAIN_DEFAULTS, trades: 30, orders: 0 });
  });

  test('of a demo is kept where that is said', () => {
    expect(reader({ dataDir: 'kept' }).readDemo().history?.dataDir).toBe('kept');
  });

  test.each([
    [{ retain: 'trades=1' }, 'INVALID_SETTING', '--retain'],
    [{ retain: 'trades=-1' }, 'INVALID_SETTING', '--retain'],
    [{ retain: 'trades=3651' }, 'INVALID_SETTING', '--retain'],
    [{ retain: 'trades' }, 'INVALID_SETTING', '--retain'],
    [{ retain: 'fills=9' }, 'INVALID_SETTING', '--retain'],
    [{ retain: 'trades=9,trades=8' }, 'INVALID_SETTING', '--retain'],
    [{ candleRetentionDays: '1' }, 'INVALID_SETTING', '--candle-retention-days'],
    [{ candleRetentionDays: '3651' }, 'SETTING_OUT_OF_RANGE', '--candle-retention-days'],
    [{ backfillHours: '721' }, 'SETTING_OUT_OF_RANGE', '--backfill-hours'],
    [{ backfillTransactions: 'x' }, 'INVALID_SETTING', '--backfill-transactions'],
    [{ historyRequestsPerSecond: '0' }, 'SETTING_OUT_OF_RANGE', '--history-requests-per-second'],
  ])('with %o is refused', (flags, code, setting) => {
    expectRefusal(flags, { code, setting });
  });

  test('is refused when the environment has no word for whether there is one', () => {
    expect(() => service({}, { SLOTBOOK_NO_HISTORY: 'maybe' })).toThrow('must be true or false');
  });
});

describe('the journal', () => {
  const service = (flags: Flags, environment: Environment = {}) =>
    reader({ rpcUrl: 'http://node.example', ...flags }, environment).readService().journal;

  test('is off for a cluster, and on where that is said', () => {
    expect(service({})).toBeUndefined();
    const journal = { dataDir: 'slotbook-data', days: 7, bytesMax: 10 * 1024 ** 3 };
    expect(service({ journal: true })).toEqual(journal);
    expect(service({}, { SLOTBOOK_JOURNAL: 'true' })).toEqual(journal);
    expect(service({ journal: false }, { SLOTBOOK_JOURNAL: 'true' })).toBeUndefined();
    expect(service({ journal: true }, { SLOTBOOK_NO_JOURNAL: 'true' })).toBeUndefined();
  });

  test('is below the folder of the history, also without one', () => {
    expect(service({ journal: true, history: false, dataDir: 'kept' })?.dataDir).toBe('kept');
  });

  test('is on in a demo, unless that is said', () => {
    expect(reader({ dataDir: 'kept' }).readDemo().journal?.dataDir).toBe('kept');
    expect(reader({ journal: false }).readDemo().journal).toBeUndefined();
  });

  test('is signed with a key, where it stays', () => {
    expect(service({ journal: true, signingKey: 'key' })?.signingKey).toBe('key');
    const refusal = { code: 'INVALID_SETTING', setting: '--signing-key' };
    expectRefusal({ signingKey: 'key' }, refusal);
    expectRefusal({ journal: true, noJournal: true, signingKey: 'key' }, refusal);
    expect(() => reader({ signingKey: 'key' }).readDemo()).toThrow(/--signing-key/);
    const nats = { rpcUrl: 'http://node.example', nats: 'nats://x', signingKey: 'key' };
    const proof = { keyFile: 'key', dataDir: 'kept' };
    expect(reader({ ...nats, dataDir: 'kept' }).readCore().proof).toEqual(proof);
    expect(reader({ ...nats, dataDir: 'kept' }).readEdge().proof).toEqual(proof);
    expect(reader({ ...nats, signingKey: undefined }).readEdge().proof).toBeUndefined();
  });

  test.each([
    [{ journalDays: '-1' }, 'SETTING_OUT_OF_RANGE', '--journal-days'],
    [{ journalDays: '3651' }, 'SETTING_OUT_OF_RANGE', '--journal-days'],
    [{ journalMegabytes: '1.5' }, 'INVALID_SETTING', '--journal-megabytes'],
  ])('with %o is refused', (flags, code, setting) => {
    expectRefusal(flags, { code, setting });
  });
});

describe('the program', () => {
  const own = '1'.repeat(32);
  const { drift, velocity } = PROGRAM_IDS;

  test.each([
    [{}, { program: 'drift', programId: drift }],
    [{ program: 'velocity' }, { program: 'velocity', programId: velocity }],
    [{ programId: velocity }, { program: 'velocity', programId: velocity }],
    [{ programId: drift }, { program: 'drift', programId: drift }],
    [{ programId: own }, { program: 'drift', programId: own }],
    [
      { programId: own, program: 'velocity' },
      { program: 'velocity', programId: own },
    ],
  ])('%j is %j', (flags, expected) => {
    const all = { rpcUrl: 'http://node.example', ...flags };
    expect(reader(all).readService()).toMatchObject(expected);
    expect(reader({ nats: 'nats://host', ...flags }).readEdge()).toMatchObject(expected);
  });

  test.each([
    { program: 'phoenix' },
    { program: 'drift', programId: velocity },
    { program: 'velocity', programId: drift },
  ])('%j is refused', (flags) => {
    const code = 'INVALID_SETTING';
    expectRefusal({ rpcUrl: 'http://node.example', ...flags }, { code, setting: '--program' });
  });
});

describe('makers that quote', () => {
  const [first, second] = ['1'.repeat(32), PROGRAM_IDS.drift];

  test('are a list of keys, and their policy a word', () => {
    const { quoteMakers } = reader({ quoteMakers: ` ${first}, ${second},` }).readDemo();
    expect(quoteMakers).toEqual([first, second]);
    expect(reader({ indicativePolicy: 'improve' }).readDemo().indicativePolicy).toBe('improve');
  });

  test('are refused where a key is none, or there are too many', () => {
    expect(() => reader({ quoteMakers: `${first},abc` }).readDemo()).toThrow(
      '--quote-makers was abc, must be base58 keys of 32 bytes',
    );
    const many = Array(257).fill(first).join(',');
    expect(() => reader({ quoteMakers: many }).readDemo()).toThrow(
      '--quote-makers was 257, must be at most 256',
    );
    expect(() => reader({ indicativePolicy: 'Improve' }).readDemo()).toThrow(
      '--indicative-policy was Improve, must be one of join, improve',
    );
  });
});

describe('trusted proxies', () => {
  const read = (trustedProxies: string) => reader({ trustedProxies }).readDemo().trustedProxies;

  test('are addresses and networks of both kinds', () => {
    const networks = ['10.0.0.0/8', '127.0.0.1', '0.0.0.0/0', '::1', 'fd00::/8', '2001:db8::/128'];
    expect(read(` ${networks.join(' , ')},`)).toEqual(networks);
    expect(read('')).toEqual([]);
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '010.0.0.0/8',
    'fd00::/129',
    'fd00::%eth0/8',
    '::ffff:10.0.0.0/104',
    '[::1]',
    '127.0.0.1:80',
    'localhost',
    '*',
    '/8',
  ])('are refused where one is %s', (network) => {
    const rule = 'must be addresses or networks such as 10.0.0.0/8 and fd00::/8';
    expect(() => read(`127.0.0.1,${network}`)).toThrow(`--trusted-proxies was ${network}, ${rule}`);
  });

  test('are refused where there are too many', () => {
    expect(() => read(Array(257).fill('::1').join(','))).toThrow('must be at most 256');
  });
});

describe('the markets of a demo', () => {
  const read = (flags: Record<string, string>) => reader(flags).readDemo();

  test('are those of mainnet with more makers and fewer funding rates, unless these are given', () => {
    const mainnet = { marketsPreset: 'mainnet' };
    expect(read(mainnet)).toMatchObject({ ...mainnet, makers: 400, fundingSeconds: 600 });
    const given = { makers: '200', fundingSeconds: '20' };
    expect(read({ ...mainnet, ...given })).toMatchObject({ makers: 200, fundingSeconds: 20 });
    expect(read({})).toMatchObject({ makers: 200, fundingSeconds: 20 });
  });

  test('are refused by another name', () => {
    expect(() => read({ marketsPreset: 'all' })).toThrow(
      '--markets-preset was all, must be one of few, mainnet',
    );
  });
});

describe('a replay', () => {
  test('has the recorded speed unless another is given', () => {
    expect(reader({}).readReplay().speed).toBe(1);
    expect(reader({ speed: '0.25' }).readReplay().speed).toBe(0.25);
    expect(reader({ speed: '0' }).readReplay().speed).toBe(0);
    expect(() => reader({ speed: '-1' }).readReplay()).toThrow('--speed was -1, must be 0 to 1000');
    expect(() => reader({ speed: '1e2' }).readReplay()).toThrow(
      '--speed was 1e2, must be a number',
    );
  });
});

describe('a verification', () => {
  const cluster = { rpcUrl: 'http://node.example' };

  test('needs a cluster, and compares the service of this machine for some seconds', () => {
    expect(() => reader({}).readVerify()).toThrow('--rpc-url is missing');
    const { url, seconds, nodes } = reader(cluster).readVerify();
    expect({ url, seconds }).toEqual({ url: 'http://127.0.0.1:8080', seconds: 20 });
    expect(nodes[0].rpcUrl).toBe('http://node.example/');
  });

  test('logs warnings only, unless a level is given', () => {
    expect(reader(cluster).readVerify().logLevel).toBe('warn');
    expect(reader({ ...cluster, logLevel: 'info' }).readVerify().logLevel).toBe('info');
    expect(reader(cluster, { SLOTBOOK_LOG_LEVEL: 'debug' }).readVerify().logLevel).toBe('debug');
  });

  test('takes the address of a service with or without a slash, and no other thing', () => {
    const urlOf = (url: string): string => reader({ ...cluster, url }).readVerify().url;
    expect(urlOf('https://book.example/v1/')).toBe('https://book.example/v1');
    expect(() => urlOf('ws://book.example')).toThrow('--url must be a http:// or https:// URL');
    const seconds = (text: string) => () => reader({ ...cluster, seconds: text }).readVerify();
    expect(seconds('0')).toThrow('--seconds was 0, must be 1 to 3600');
    expect(seconds('1.5')).toThrow('--seconds was 1.5, must be a whole number');
  });
});

describe('sources', () => {
  test('a flag wins over the environment, which wins over the default', () => {
    const environment = { SLOTBOOK_PORT: '9001', SLOTBOOK_HOST: '0.0.0.0' };
    expect(reader({ port: '9002' }, environment).readDemo()).toMatchObject({
      port: 9002,
      host: '0.0.0.0',
    });
  });

  test('an empty value counts as not given', () => {
    expect(reader({ port: '' }, { SLOTBOOK_PORT: '' }).readDemo().port).toBe(8080);
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
    expect(reader({ rpcUrl }).readService().nodes[0].wsUrl).toBe(wsUrl);
  });

  test('a given one is taken', () => {
    const flags = { rpcUrl: 'http://a.example', wsUrl: 'wss://b.example/x' };
    expect(reader(flags).readService().nodes[0].wsUrl).toBe('wss://b.example/x');
  });
});

describe('values', () => {
  test('markets are a list of names', () => {
    expect(reader({ markets: 'SOL-PERP, BTC-PERP,,SOL' }).readDemo().markets).toEqual([
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
    [{ fills: '11' }, { code: 'SETTING_OUT_OF_RANGE', setting: '--fills' }],
    [{ fundingSeconds: '0' }, { code: 'SETTING_OUT_OF_RANGE', setting: '--funding-seconds' }],
    [{ auditIntervalMs: '-1' }, { code: 'SETTING_OUT_OF_RANGE', setting: '--audit-interval-ms' }],
    [{ logLevel: 'loud' }, { code: 'INVALID_SETTING', setting: '--log-level' }],
    [{ programId: '1'.repeat(33) }, { code: 'INVALID_SETTING', setting: '--program-id' }],
    [{ programId: 'z'.repeat(44) }, { code: 'INVALID_SETTING', setting: '--program-id' }],
    [{ programId: 'short' }, { code: 'INVALID_SETTING', setting: '--program-id' }],
    [{ rpcUrl: 'ftp://node.example' }, { code: 'INVALID_SETTING', setting: '--rpc-url' }],
    [{ wsUrl: 'http://node.example' }, { code: 'INVALID_SETTING', setting: '--ws-url' }],
    [{ markets: 'A,'.repeat(300) }, { code: 'SETTING_OUT_OF_RANGE', setting: '--markets' }],
  ])('%j is refused by name', expectRefusal);

  test.each([
    [{ rpcUrl: '', wsUrl: 'ws://node.example' }, '--rpc-url'],
    [{ fallbackWsUrl: 'ws://node.example' }, '--fallback-rpc-url'],
  ])('%j lacks an address', (flags, setting) =>
    expectRefusal(flags, { code: 'MISSING_SETTING', setting }),
  );

  test.each([
    [{}, { code: 'MISSING_SETTING', setting: '--nats' }],
    [
      { nats: 'nats://host', natsStream: 'a.b' },
      { code: 'INVALID_SETTING', setting: '--nats-stream' },
    ],
  ])('%j is refused by an edge', (flags, expected) => {
    expect(() => reader(flags).readEdge()).toThrow(expect.objectContaining(expected));
  });

  test('a stale book cannot be fresher than a lagging one', () => {
    const read = () => reader({ staleAfterMs: '2000' }).readDemo();
    expect(read).toThrow(
      '--stale-after-ms was 2000, must be at least --lagging-after-ms, which is 2500',
    );
    const equal = reader({ staleAfterMs: '2500' }).readDemo();
    expect(equal).toMatchObject({ laggingAfterMs: 2_500, staleAfterMs: 2_500 });
  });

  test('a fallback is the second node, with its own subscription URL', () => {
    const urls = { rpcUrl: 'http://a.example', fallbackRpcUrl: 'https://b.example/key' };
    expect(reader(urls).readService().nodes).toEqual([
      { rpcUrl: 'http://a.example/', wsUrl: 'ws://a.example/' },
      { rpcUrl: 'https://b.example/key', wsUrl: 'wss://b.example/key' },
    ]);
  });

  test.each(['fallbackRpcUrl', 'snapshotUrl'])('a wrong %s is not echoed either', (name) => {
    const read = () =>
      reader({ rpcUrl: 'http://a.example', [name]: 'ftp://x/secret' }).readService();
    expect(read).toThrow(/^(?!.*secret)/);
  });

  test('sources are a list in any mix, of which --grpc-url is a short form', () => {
    const read = (flags: Flags) =>
      reader({ rpcUrl: 'http://node.example:8899', wsUrl: 'ws://node.example:1', ...flags });
    const source = 'rpc:http://node.example:8899, grpc:https://key@one.example';
    const { sources } = read({
      source,
      grpcUrl: 'http://two.example',
      grpcToken: 't',
    }).readService();
    expect(sources).toEqual([
      { kind: 'rpc', rpcUrl: 'http://node.example:8899/', wsUrl: 'ws://node.example:1/' },
      { kind: 'grpc', url: 'https://one.example/', token: 'key' },
      { kind: 'grpc', url: 'http://two.example/', token: 't' },
    ]);
    expect(read({}).readService().sources).toEqual([]);
    const wrong = ['http://a', 'rpc:a', 'ws:ws://a', 'rpc:http://a,rpc:http://a/key', 'grpc:'];
    for (const given of wrong) {
      expectRefusal({ source: given }, { code: 'INVALID_SETTING', setting: '--source' });
    }
    const many = Array.from({ length: 8 }, (_, at) => `rpc:http://a${at}`).join();
    expectRefusal(
      { source: many, grpcUrl: 'http://b' },
      { code: 'SETTING_OUT_OF_RANGE', setting: '--source' },
    );
  });

  test('a wrong URL is not echoed, because it may carry an access key', () => {
    const read = () => reader({ rpcUrl: 'ftp://node.example/secret' }).readService();
    expect(read).toThrow(/^(?!.*secret)/);
  });
});
