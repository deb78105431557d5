/** /priorityFees and /batchPriorityFees with a scripted node. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { LIMITS } from '../../config/limits.js';
import { FakeBook, startServer } from '../testing/running-server.js';
import { batchFeesRoute, batchPriorityFees, priorityFees } from './priority-fees.js';

const { feeCallSpacingMs, feeCallsMax, feesKeptMs, feesWaitingMax } = LIMITS;

const book = new FakeBook();
const asked: (readonly string[])[] = [];

/** 101 blocks, whose fees are their percentiles. */
const FEES = Array.from({ length: 101 }, (_, index) => (index * 37) % 101);

const server = await startServer(book, {
  readFees: async (accounts) => {
    asked.push(accounts);
    return FEES;
  },
});

const LEVELS = { min: 0, low: 25, medium: 50, high: 75, veryHigh: 95, unsafeMax: 100 };

describe('/priorityFees', () => {
  test.each(['', '/v1', '/dlob'])(
    '%s/priorityFees has the levels of the market',
    async (prefix) => {
      const { status, text } = await server.ask(
        `${prefix}/priorityFees?marketIndex=0&marketType=perp`,
      );
      expect(status).toBe(200);
      expect(text).toBe(JSON.stringify({ ...LEVELS, marketType: 'perp', marketIndex: '0' }));
    },
  );

  test('a name will do, and the node is asked for the account of the market', async () => {
    const { body } = await server.ask('/priorityFees?marketName=sol-perp');
    expect(body).toMatchObject(LEVELS);
    expect(new Set(asked.flat())).toEqual(new Set(['account-0']));
  });

  test.each([
    ['', 400, 'MISSING_PARAM', 'marketName'],
    ['marketIndex=0', 400, 'MISSING_PARAM', 'marketType'],
    ['marketIndex=x&marketType=perp', 400, 'INVALID_PARAM', 'marketIndex'],
    ['marketIndex=9&marketType=perp', 404, 'UNKNOWN_MARKET', 'marketIndex'],
  ])('"%s" is refused', async (query, status, code, param) => {
    const { error } = await server.ask(`/priorityFees?${query}`);
    expect(error).toMatchObject({ status, code, param });
  });

  test('a node that fails is a 503 with its code, and nothing of its address', async () => {
    const failure = Object.assign(new Error('https://node.example/key'), { code: 'RPC_TIMEOUT' });
    const alone = await startServer(book, { readFees: () => Promise.reject(failure) });
    const answer = await alone.ask('/priorityFees?marketName=SOL');
    const message = 'the priority fees could not be read: RPC_TIMEOUT';
    expect(answer.error).toEqual({ status: 503, code: 'NOT_READY', message, param: null });
    expect([answer.header('retry-after'), alone.faults]).toEqual(['1', []]);
  });

  test('without a node says so', async () => {
    const alone = await startServer(book);
    const { error } = await alone.ask('/priorityFees?marketName=SOL');
    expect(error.status).toBe(503);
    expect(error.message).toContain('there is no RPC node');
  });
});

describe('/batchPriorityFees', () => {
  test('has an entry for each, with its index as a number', async () => {
    const { body } = await server.ask('/batchPriorityFees?marketIndex=1,0&marketType=spot,perp');
    expect(body).toEqual([
      { ...LEVELS, marketType: 'spot', marketIndex: 1 },
      { ...LEVELS, marketType: 'perp', marketIndex: 0 },
    ]);
  });

  test('a wrong entry says what it named and what is wrong, and fails no other', async () => {
    const { status, body } = await server.ask(
      '/batchPriorityFees?marketIndex=7,0&marketType=perp,perp',
    );
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        ...{ marketType: 'perp', marketIndex: 7 },
        error: {
          code: 'UNKNOWN_MARKET',
          message: 'there is no market perp 7',
          param: 'marketIndex',
        },
      },
      { ...LEVELS, marketType: 'perp', marketIndex: 0 },
    ]);
  });

  test('an index that no market can have is in the entry as it was asked', async () => {
    const { body } = await server.ask('/batchPriorityFees?marketIndex=-1&marketType=perp');
    expect(body).toMatchObject([{ marketIndex: -1, error: { code: 'OUT_OF_RANGE' } }]);
    const isBody = new Ajv2020({ strict: false, logger: false }).compile(
      batchPriorityFees.body.schema,
    );
    expect(isBody(body)).toBe(true);
  });

  test('lists of different lengths are refused, and none is an empty list', async () => {
    const { error } = await server.ask('/batchPriorityFees?marketIndex=0,1&marketType=perp');
    expect(error).toMatchObject({ status: 400, code: 'INVALID_PARAM' });
    expect((await server.ask('/batchPriorityFees')).text).toBe('[]');
  });
});

describe('calls of the node', () => {
  const calls: (readonly string[])[] = [];
  let timers: ManualTimers;
  let answer: (accounts: readonly string[]) => Promise<readonly number[]>;
  const row = book.rows[0];
  if (row === undefined) throw new Error('the fake book has markets');
  const rows = Array.from({ length: feesWaitingMax + feeCallsMax + 2 }, (_, marketIndex) => ({
    ...{ ...row, id: marketIndex, symbol: `M${marketIndex}-PERP` },
    ...{ marketIndex, account: `account-${marketIndex}` },
  }));
  const many = new FakeBook();

  beforeEach(() => {
    calls.length = 0;
    timers = new ManualTimers();
    many.rows = rows;
    answer = async () => [5];
  });

  afterEach(() => void expect(server.faults).toEqual([]));

  function batch() {
    const route = batchFeesRoute({
      directory: many,
      readiness: () => server.readiness,
      readFees: (accounts) => {
        calls.push(accounts);
        return answer(accounts);
      },
      timers,
    });
    return (from: number, to: number) => {
      const indexes = Array.from({ length: to - from }, (_, at) => from + at);
      const query = `marketIndex=${indexes.join()}&marketType=${indexes.map(() => 'perp').join()}`;
      return Promise.resolve(route({ query } as Parameters<typeof route>[0]));
    };
  }

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('are spaced, one for a market, whoever asks for it', async () => {
    const ask = batch();
    const both = [ask(0, 4), ask(2, 6)];
    for (let index = 0; index < 6; index += 1) {
      await turn();
      expect(calls).toHaveLength(index + 1);
      timers.advance(feeCallSpacingMs);
    }
    for (const reply of await Promise.all(both)) expect(reply.status).toBe(200);
    expect(calls.map(([account]) => account)).toEqual(rows.slice(0, 6).map((one) => one.account));
  });

  test('serve all requests until the fees are too old', async () => {
    const ask = batch();
    await ask(0, 1);
    timers.advance(feesKeptMs);
    await ask(0, 1);
    expect(calls).toHaveLength(1);
    timers.advance(1);
    await ask(0, 1);
    expect(calls).toHaveLength(2);
  });

  test('are few at once, and beyond those that may wait a request is refused', async () => {
    answer = () => new Promise(() => {});
    const ask = batch();
    for (let at = 0; at < feesWaitingMax; at += 256) void ask(at, at + 256);
    for (let index = 0; index < feeCallsMax + 2; index += 1) {
      await turn();
      timers.advance(feeCallSpacingMs);
    }
    expect(calls).toHaveLength(feeCallsMax);
    void ask(feesWaitingMax, feesWaitingMax + feeCallsMax);
    await expect(ask(feesWaitingMax + feeCallsMax, rows.length)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
  });

  test('of a spot market are for the accounts of its token and of the quote token', async () => {
    const spot = {
      ...row,
      marketType: 'spot' as const,
      symbol: 'USDC',
      name: 'USDC',
      account: 'usdc',
    };
    const names = { symbol: 'SOL', name: 'SOL', account: 'sol' };
    many.rows = [spot, { ...spot, id: 1, marketIndex: 1, ...names }];
    const route = priorityFees.open({
      directory: many,
      readiness: () => server.readiness,
      readFees: async (accounts) => {
        calls.push(accounts);
        return [];
      },
      timers,
    });
    const ask = async (name: string) =>
      (await route({ query: `marketName=${name}` } as Parameters<typeof route>[0])).body;
    const zeros = { min: 0, low: 0, medium: 0, high: 0, veryHigh: 0, unsafeMax: 0 };
    expect(JSON.parse(String(await ask('USDC')))).toMatchObject(zeros);
    timers.advance(feeCallSpacingMs);
    await ask('SOL');
    expect(calls).toEqual([['usdc'], ['usdc', 'sol']]);
  });
});
