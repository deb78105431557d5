/** Every parameter of the history's paths, asked wrongly in every way, and what the others become. */
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import { FakeHistory } from '../testing/fake-history.js';
import { FakeBook, startServer } from '../testing/running-server.js';

const NOW = 1_763_740_830;
const HOUR = NOW - (NOW % 3_600);
const SINCE = HOUR - 30 * 86_400;
const CURSOR = 'EQAAAAAAAAAD6AAAAAAAAAAB';

const history = new FakeHistory();
history.chainTs = NOW;
// The machine's clock is late: all times are the chain's.
const unixMs = (): number => (NOW - 95 * 86_400) * 1_000;
const timers = { ...systemTimers, unixMs };
const server = await startServer(new FakeBook(), { history, timers });

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly param?: string;
}

async function expectError(path: string, expected: Refusal): Promise<void> {
  const asked = history.requested.length;
  const answer = await server.ask(path);
  const message = expect.stringMatching(/\w+ \w+/);
  expect(answer.error).toEqual({ param: null, message, ...expected });
  expect(answer.header('content-type')).toBe('application/json');
  expect(history.requested).toHaveLength(asked);
}

async function expectQuery(path: string, expected: Record<string, unknown>): Promise<void> {
  const { status, body } = await server.ask(path);
  expect({ status, body }).toEqual({ status: 200, body: { query: expected } });
}

const invalid = { status: 400, code: 'INVALID_PARAM' };
const outOfRange = { status: 400, code: 'OUT_OF_RANGE' };
const missing = { status: 400, code: 'MISSING_PARAM' };
const unknown = { status: 404, code: 'UNKNOWN_MARKET' };
const unknownPath = { status: 404, code: 'UNKNOWN_PATH' };

/** A path, and the largest of each number that it takes. */
interface Numbers {
  readonly path: string;
  readonly limit: number;
  readonly zeroes?: Readonly<Record<string, number>>;
}

const { tradesMax, fundingRatesMax, fundingRateRecordsMax, candlesMax, unixSecondsMax } = LIMITS;
const paths: readonly Numbers[] = [
  { path: '/trades?symbol=SOL-PERP', limit: tradesMax, zeroes: { pageIndex: 100_000 } },
  { path: '/fundingRates?symbol=SOL-PERP', limit: fundingRatesMax, zeroes: { pageIndex: 100_000 } },
  {
    path: '/candles?symbol=SOL-PERP&resolution=1',
    limit: candlesMax,
    zeroes: { from: unixSecondsMax, to: unixSecondsMax },
  },
  { path: '/market/SOL-PERP/trades?', limit: tradesMax },
  { path: '/market/SOL-PERP/fundingRates?', limit: fundingRateRecordsMax },
  { path: '/market/SOL-PERP/candles/1?', limit: candlesMax, zeroes: { startTs: NOW, endTs: NOW } },
];

describe('numbers', () => {
  const cases = paths.flatMap(({ path, limit, zeroes = {} }) => [
    { path, name: 'limit', min: 1, max: limit },
    ...Object.entries(zeroes).map(([name, max]) => ({ path, name, min: 0, max })),
  ]);

  test.each(cases)('$path $name is a whole number', async ({ path, name, max }) => {
    const wrong = '=|=abc|=1e2|=0x10|=%2B5|=5.0|= 5|=5%00|=٣|=null|=1,2|=%zz'.split('|');
    for (const text of [...wrong, '', `=1&${name}=1`]) {
      await expectError(`${path}&${name}${text}`, { ...invalid, param: name });
    }
    await expectError(`${path}&${name}=-1`, { ...outOfRange, param: name });
    const beyond = name.endsWith('Ts') ? max + 61 : max + 1;
    for (const text of [String(beyond), '9'.repeat(400), `-${'9'.repeat(400)}`]) {
      await expectError(`${path}&${name}=${text}`, { ...outOfRange, param: name });
    }
  });

  // Specification: path-trades-limit, limit-trades.
  test.each(paths)('$path takes 1 and $limit rows, and not 0', async ({ path, limit }) => {
    await expectError(`${path}&limit=0`, { ...outOfRange, param: 'limit' });
    for (const rows of [1, limit]) {
      const { body } = await server.ask(`${path}&limit=${rows}`);
      expect(body).toMatchObject({ query: { limit: rows } });
    }
  });
});

describe('the market', () => {
  // Specification: path-trades-symbol.
  test.each(['/trades?', '/fundingRates?', '/candles?resolution=1&'])(
    '%s names it',
    async (path) => {
      const param = 'symbol';
      await expectError(`${path}limit=5`, { ...missing, param });
      for (const text of ['', 'A'.repeat(33), '%E0%A4%A', `${'%C3%A9'.repeat(17)}`]) {
        await expectError(`${path}symbol=${text}`, { ...invalid, param });
      }
      await expectError(`${path}symbol=SOL-PERP&symbol=SOL-PERP`, { ...invalid, param });
      for (const text of ['NOPE', 'SOL-PERP%20', '%00', '__proto__', '0', "'%20OR%201=1--"]) {
        await expectError(`${path}symbol=${text}`, { ...unknown, param });
      }
      await expectError(`${path}symbol=NOPE&limit=x`, { ...invalid, param: 'limit' });
    },
  );

  test('may have the names of the system in production, whose form is returned then', async () => {
    const trades = { kind: 'trades', limit: 100, form: 'named' };
    const rates = { kind: 'fundingRates', limit: 1_000, since: SINCE, form: 'named' };
    const perpRates = { ...rates, market: 'perp_0' };
    for (const prefix of ['', '/v1', '/data']) {
      await expectQuery(`${prefix}/trades?marketName=sol`, { ...trades, market: 'spot_1' });
      await expectQuery(`${prefix}/fundingRates?marketName=SOL-PERP`, perpRates);
    }
    await expectQuery('/trades?marketIndex=1&marketType=SPOT', { ...trades, market: 'spot_1' });
    await expectQuery('/fundingRates?marketIndex=0&limit=5', { ...perpRates, limit: 5 });
    const both = '/trades?symbol=SOL-PERP&marketName=perp_0&marketIndex=0';
    await expectQuery(both, { ...trades, market: 'perp_0', form: 'spec' });
    await expectError('/trades?symbol=SOL-PERP&marketName=SOL', {
      ...invalid,
      param: 'marketIndex',
    });
  });

  test.each(['/trades', '/fundingRates'])('%s refuses wrong ones of them', async (path) => {
    const error = (query: string, expected: Refusal) => expectError(`${path}?${query}`, expected);
    await error('marketName=NOPE', { ...unknown, param: 'marketName' });
    await error(`marketName=${'A'.repeat(33)}`, { ...invalid, param: 'marketName' });
    await error('marketIndex=7', { ...unknown, param: 'marketIndex' });
    await error('marketIndex=x', { ...invalid, param: 'marketIndex' });
    await error('marketIndex=-1', { ...outOfRange, param: 'marketIndex' });
    await error('marketIndex=0&marketType=x', { ...invalid, param: 'marketType' });
    await error('marketType=perp', { ...missing, param: 'symbol' });
  });

  test.each(['trades', 'fundingRates', 'candles/1'])('/market/.../%s names it', async (rest) => {
    const param = 'symbol';
    await expectError(`/market//${rest}`, unknownPath);
    for (const text of ['A'.repeat(33), '%C3%A9'.repeat(17), '%E0%A4%A', '%zz', '%']) {
      await expectError(`/market/${text}/${rest}`, { ...invalid, param });
    }
    for (const text of ['NOPE', 'SOL-PERP%20', 'SOL+PERP', '__proto__', 'SOL%2FPERP']) {
      await expectError(`/market/${text}/${rest}?symbol=SOL-PERP`, { ...unknown, param });
    }
  });

  test('is found in any case, and by the path before the query', async () => {
    const spec = { kind: 'trades', limit: 100, form: 'spec' };
    await expectQuery('/trades?symbol=sOl-PeRp', { ...spec, market: 'perp_0' });
    await expectQuery('/trades?symbol=SOL%2DPERP', { ...spec, market: 'perp_0' });
    await expectQuery('/trades?symbol=sol', { ...spec, market: 'spot_1' });
    const records = { kind: 'trades', limit: 20, form: 'records' };
    await expectQuery('/market/sol/trades?symbol=SOL-PERP', { ...records, market: 'spot_1' });
    await expectQuery('/market/SOL%2Dperp/trades', { ...records, market: 'perp_0' });
    const ignored = 'symbol=%zz&symbol=SOL-PERP&before=x&pageIndex=x&resolution=x';
    await expectQuery(`/market/sol/trades?${ignored}`, { ...records, market: 'spot_1' });
  });
});

describe('pages', () => {
  test.each([
    ['/trades?symbol=SOL&before', 'before'],
    ['/fundingRates?symbol=SOL&before', 'before'],
    ['/market/SOL/trades?page', 'page'],
    ['/market/SOL/fundingRates?page', 'page'],
  ])('%s is a cursor', async (path, param) => {
    for (const text of ['', 'a b', '%2B%2F', 'a=', '"x"', '%zz', `${CURSOR}%00`, 'A'.repeat(65)]) {
      await expectError(`${path}=${text}`, { ...invalid, param });
    }
    await expectError(`${path}=${CURSOR}&${param}=${CURSOR}`, { ...invalid, param });
  });

  test.each(['/trades', '/fundingRates'])('%s has one place to begin', async (path) => {
    const both = `${path}?symbol=SOL&before=${CURSOR}&pageIndex`;
    for (const page of [0, 1]) {
      await expectError(`${both}=${page}`, { ...invalid, param: 'pageIndex' });
    }
  });

  test.each(['/trades', '/fundingRates'])('%s passes over 100,000 rows at most', async (path) => {
    const page = `${path}?symbol=SOL`;
    const param = 'pageIndex';
    for (const [limit, most] of [
      [1_000, 100],
      [999, 100],
      [300, 333],
      [1, 100_000],
    ] as const) {
      const { body } = await server.ask(`${page}&limit=${limit}&pageIndex=${most}`);
      expect(body).toMatchObject({ query: { limit, pageIndex: most } });
      const beyond = `${page}&limit=${limit}&pageIndex=${most + 1}`;
      await expectError(beyond, { ...outOfRange, param });
    }
    const { error } = await server.ask(`${page}&limit=1000&pageIndex=101`);
    expect(error.message).toBe(
      'pageIndex was 101, must be at most 100 with a limit of 1000; for older rows send the header ' +
        'X-Next-Cursor of a page as before',
    );
  });

  test('page 0 is the newest, as no page is', async () => {
    const query = { kind: 'trades', market: 'perp_0', limit: 100, form: 'spec' };
    for (const page of ['', '&pageIndex=0', '&pageIndex=-0', '&colour=red&colour=blue']) {
      await expectQuery(`/trades?symbol=SOL-PERP${page}`, query);
    }
    const third = { ...query, limit: 5, pageIndex: 3 };
    await expectQuery('/v1/trades?symbol=SOL-PERP&limit=5&pageIndex=3', third);
    await expectQuery(`/trades?symbol=SOL-PERP&before=${CURSOR}`, { ...query, before: CURSOR });
  });

  test('funding rates go back thirty days, to the hour', async () => {
    const query = { kind: 'fundingRates', market: 'perp_0', since: SINCE };
    await expectQuery('/fundingRates?symbol=SOL-PERP', { ...query, limit: 1_000, form: 'spec' });
    const records = { ...query, limit: 750, form: 'records' };
    await expectQuery('/v1/market/SOL-PERP/fundingRates?limit=750', records);
  });
});

describe('candles', () => {
  const spec = { kind: 'candles', market: 'perp_0', now: NOW - 30, limit: 1_000, form: 'spec' };
  const path = '/candles?symbol=SOL-PERP&resolution';

  // Specification: candle-resolutions.
  test('have a resolution', async () => {
    const param = 'resolution';
    await expectError('/candles?symbol=SOL-PERP', { ...missing, param });
    const wrong = '|2|01|1m|d|1D|1.0|-1|43200|constructor|%zz|1&resolution=1'.split('|');
    for (const text of wrong) await expectError(`${path}=${text}`, { ...invalid, param });
    for (const rest of ['/', '', '/1/', '/1/2/3/4/5/6']) {
      await expectError(`/market/SOL-PERP/candles${rest}`, unknownPath);
    }
    await expectError('/dlob/market/SOL-PERP/candles/1', unknownPath);
    for (const text of ['2', 'd', '%00', '1%2F', '%zz']) {
      await expectError(`/market/SOL-PERP/candles/${text}`, { ...invalid, param });
    }
  });

  test('of a day have two names', async () => {
    for (const text of ['D', '1440'])
      await expectQuery(`${path}=${text}`, { ...spec, resolution: 'D' });
    for (const resolution of ['1', '5', '15', '60', '240', 'W', 'M']) {
      await expectQuery(`${path}=${resolution}`, { ...spec, resolution });
    }
  });

  test('begin before they end', async () => {
    await expectQuery(`${path}=5&from=60&to=60`, { ...spec, resolution: '5', from: 60, to: 60 });
    await expectError(`${path}=5&from=61&to=60`, { ...invalid, param: 'from' });
    await expectQuery(`${path}=5&from=61`, { ...spec, resolution: '5', from: 61 });
    await expectQuery(`${path}=5&to=60`, { ...spec, resolution: '5', to: 60 });
  });

  test('as records have the newer bound first, and it alone', async () => {
    const records = '/market/SOL-PERP/candles/15';
    const [newer, older] = [NOW - 60, NOW - 6_000];
    const query = { ...spec, resolution: '15', limit: 100, form: 'records' };
    await expectQuery(records, query);
    await expectQuery(`${records}?endTs=${older}`, query);
    await expectQuery(`${records}?startTs=${newer}`, { ...query, to: newer });
    const both = { ...query, from: older, to: newer };
    await expectQuery(`${records}?startTs=${newer}&endTs=${older}`, both);
    for (const startTs of [older, newer]) {
      const wrong = `${records}?startTs=${startTs}&endTs=${newer}`;
      await expectError(wrong, { ...invalid, param: 'startTs' });
    }
    // Times in milliseconds are taken as well.
    await expectQuery(`/data${records}?startTs=${newer}999&endTs=${older}000`, both);
    await expectQuery(`/data${records}?endTs=${older}000`, query);
  });

  test.each(['startTs', 'endTs'])(
    'as records have no %s in the future or before 2022',
    async (param) => {
      const records = `/market/SOL-PERP/candles/15?${param}`;
      const { candleRecordsTsMin: min } = LIMITS;
      for (const ts of [min - 1, NOW + 61, `${NOW + 61}000`, `${NOW}000000`]) {
        await expectError(`${records}=${ts}`, { ...outOfRange, param });
      }
      for (const ts of [min, NOW, NOW + 60]) {
        expect((await server.ask(`${records}=${ts}`)).status).toBe(200);
      }
    },
  );
});

describe('the account of trades', () => {
  const account = 'J7GaZ3MytLoudXZevXjVfSkNqmiqSMyWjWRzdAPwQEFg';

  test('is a key, with limit and page', async () => {
    const path = `/user/${account}/trades`;
    const query = { kind: 'account', records: 'trade', account };
    await expectQuery(path, { ...query, limit: 20 });
    const before = { ...query, limit: 1_000, before: CURSOR };
    await expectQuery(`${path}?limit=1000&page=${CURSOR}`, before);
    await expectQuery(`${path}/sol-perp`, { ...query, limit: 20, market: 'perp_0' });
    await expectError(`${path}/NOPE`, { ...unknown, param: 'symbol' });
    const orders = { kind: 'account', records: 'order', account, isPerp: true, limit: 20 };
    await expectQuery(`/user/${account}/orders/perp`, orders);
    await expectQuery(`/user/${account}/orders/perp/sol-perp`, { ...orders, market: 'perp_0' });
    await expectError(`${path}?limit=1001`, { ...outOfRange, param: 'limit' });
    await expectError(`${path}?page=*`, { ...invalid, param: 'page' });
    for (const text of ['x', account.slice(4), `${account}0`, '%zz']) {
      await expectError(`/user/${text}/trades`, { ...invalid, param: 'account' });
    }
  });
});

describe('the day of an archive', () => {
  const path = '/market/sol-perp/trades';

  test('is one of the calendar, and becomes its seconds', async () => {
    const from = Date.UTC(2024, 1, 29) / 1_000;
    const day = { kind: 'archive', market: 'perp_0', from, to: from + 86_400 };
    const trades = { ...day, records: 'trades', page: 1, form: 'records' };
    await expectQuery(`${path}/2024/02/29`, trades);
    const rates = { ...day, records: 'fundingRates', page: 7, form: 'csv' };
    const ratesPath = path.replace('trades', 'fundingRates');
    await expectQuery(`${ratesPath}/2024/2/29?page=7&format=csv`, rates);
    for (const date of ['2023/2/29', '2024/4/31', '2024/2/30']) {
      await expectError(`${path}/${date}`, { ...invalid, param: 'day' });
    }
  });

  test.each([
    ['2019/1/1', outOfRange, 'year'],
    ['2106/1/1', outOfRange, 'year'],
    ['2024/0/1', outOfRange, 'month'],
    ['2024/13/1', outOfRange, 'month'],
    ['2024/1/0', outOfRange, 'day'],
    ['2024/1/32', outOfRange, 'day'],
    ['2024/1/1?page=0', outOfRange, 'page'],
    [`2024/1/1?page=${LIMITS.archivePagesMax + 1}`, outOfRange, 'page'],
    ['x/1/1', invalid, 'year'],
    ['2024/1.5/1', invalid, 'month'],
    ['2024/1/1st', invalid, 'day'],
    ['2024/1/1?format=xml', invalid, 'format'],
    ['2024/1/1?page=one', invalid, 'page'],
  ])('%s is refused', async (date, refusal, param) => {
    await expectError(`${path}/${date}`, { ...refusal, param });
    await expectError('/market/NOPE/trades/2024/1/1', { ...unknown, param: 'symbol' });
  });
});
