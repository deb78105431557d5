import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Reply, ScriptedRpc } from '../../test/scripted-rpc.js';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { until } from '../../test/support/until.js';
import type { Timers } from '../contract/timers.js';
import { RpcClient, type RpcClientOptions } from './client.js';
import { loggedFailure, RpcError, shownFailure } from './error.js';
import { parseRetryAfter } from './http-response.js';
import { ERROR_BODY_BYTES_MAX } from './limits.js';
import { systemTimers } from './timers.js';

let server: ScriptedRpc;
let waitsMs: number[];

beforeEach(async () => {
  server = await ScriptedRpc.start();
  waitsMs = [];
});

afterEach(() => server.stop());

/** Time stands still; waits between tries are recorded and skipped; time limits of a try are real. */
const skippingTimers: Timers = {
  ...systemTimers,
  nowMs: () => 0,
  after: (delayMs, run) => {
    if (delayMs >= 10_000) return systemTimers.after(delayMs, run);
    waitsMs.push(delayMs);
    return systemTimers.after(0, run);
  },
};

function newClient(options: Partial<RpcClientOptions> = {}): RpcClient {
  return new RpcClient({ url: server.rpcUrl, timers: skippingTimers, random: () => 1, ...options });
}

function asNumber(result: unknown): number {
  return Number(result);
}

async function errorOf(work: Promise<unknown>): Promise<RpcError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RpcError);
  return error as RpcError;
}

/** Sends the replies in turn; returns the result of the call and its waits between tries. */
async function check(
  replies: readonly Reply[],
  expected: { value: number } | { code: string },
  expectedWaitsMs: readonly number[],
): Promise<void> {
  server.answerInTurn('getSlot', replies);
  const call = newClient().call('getSlot', [], asNumber);
  if ('value' in expected) expect(await call).toBe(expected.value);
  else expect((await errorOf(call)).code).toBe(expected.code);
  expect(waitsMs).toEqual(expectedWaitsMs);
  expect(server.count('getSlot')).toBe(expectedWaitsMs.length + 1);
}

describe('client: tries', () => {
  test('a result is parsed', () => check([{ result: 7 }], { value: 7 }, []));

  test('waits double while the connection breaks', () =>
    check(['destroy', 'destroy', 'destroy', { result: 7 }], { value: 7 }, [200, 400, 800]));

  test('the last failure is thrown when the tries are used up', () =>
    check(['destroy'], { code: 'RPC_UNREACHABLE' }, [200, 400, 800]));

  test('429 waits as long as Retry-After says', () =>
    check(
      [{ status: 429, headers: { 'retry-after': '3' } }, { result: 7 }],
      { value: 7 },
      [3_000],
    ));

  test('503 waits as long as Retry-After says, never shorter than the own wait', () =>
    check([{ status: 503, headers: { 'retry-after': '0' } }, { result: 7 }], { value: 7 }, [200]));

  test.each([429, 503])('%i with a page of text is tried again all the same', (status) => {
    const body = 'x'.repeat(ERROR_BODY_BYTES_MAX * 4);
    const headers = { 'retry-after': '3' };
    return check([{ status, headers, body }, { result: 7 }], { value: 7 }, [3_000]);
  });

  test('403 with a page of text keeps its status and the beginning', async () => {
    const body = `no plan ${'x'.repeat(ERROR_BODY_BYTES_MAX * 4)}`;
    server.answer('getSlot', () => ({ status: 403, body }));
    const error = await errorOf(newClient().call('getSlot', [], asNumber));
    expect(error.code).toBe('RPC_HTTP_STATUS');
    expect(error.message).toBe('RPC server answered with HTTP status 403');
    const { serverText } = error.context;
    expect(serverText).toBe(body.slice(0, ERROR_BODY_BYTES_MAX));
  });

  test('429 without end is a rate error', () =>
    check([{ status: 429 }], { code: 'RPC_RATE_EXCEEDED' }, [200, 400, 800]));

  test('403 is not tried again', () => check([{ status: 403 }], { code: 'RPC_HTTP_STATUS' }, []));

  test('a node that is behind is tried again', () =>
    check(
      [{ error: { code: -32005, message: 'Node is behind by 42 slots' } }, { result: 7 }],
      { value: 7 },
      [200],
    ));

  test('another JSON-RPC error is not tried again', () =>
    check([{ error: { code: -32602, message: 'Invalid params' } }], { code: 'RPC_REJECTED' }, []));

  test('cut JSON is asked for again', () =>
    check([{ text: '{"jsonrpc":"2.0","resu' }, { result: 7 }], { value: 7 }, [200]));

  test('JSON that is no answer ends as malformed', () =>
    check([{ text: '[]' }], { code: 'MALFORMED_RPC_ANSWER' }, [200, 400, 800]));
});

describe('client: limits', () => {
  test('a server that never answers runs into the time limit', async () => {
    server.answer('getSlot', () => 'hang');
    const timers = new ManualTimers();
    const client = newClient({ timers, attemptsMax: 1 });
    const call = errorOf(client.call('getSlot', [], asNumber, { timeoutMs: 30 }));
    await until('it was asked', () => server.count('getSlot') === 1);
    timers.advance(30);
    const error = await call;
    expect(error.code).toBe('RPC_TIMEOUT');
    expect(error.message).toContain('30 ms');
    expect(timers.waitsMs).toEqual([]);
  });

  test('a scan of which no byte comes for half a minute has failed, and is not tried again', async () => {
    const timers = new ManualTimers();
    server.answer('getProgramAccounts', () => 'hang');
    const failure = errorOf(newClient({ timers }).callRaw('getProgramAccounts', []));
    await until('it was asked', () => server.requests.length === 1);
    timers.advance(30_000);
    const { code, message } = await failure;
    expect([code, message]).toEqual([
      'RPC_TIMEOUT',
      'getProgramAccounts received no byte for 30000 ms',
    ]);
    expect(server.requests).toHaveLength(1);
  });

  test('a scan whose bytes come slowly has not, until its time is over', async () => {
    const timers = new ManualTimers();
    let bytes = 0;
    server.answer('getProgramAccounts', () => ({ text: ' '.repeat(100), chunkBytes: 1 }));
    const onBytes = (): void => {
      bytes += 1;
      timers.advance(1_000);
    };
    const client = newClient({ timers });
    const body = await client.callRaw('getProgramAccounts', [], { onBytes });
    expect([body.byteLength, bytes > 1]).toEqual([100, true]);
    expect(timers.waitsMs).toEqual([]);
  });

  test('a redirect is not followed: the key in the address is for its host alone', async () => {
    const other = await ScriptedRpc.start();
    other.answer('getSlot', () => ({ result: 7 }));
    const location = other.rpcUrl;
    for (const status of [301, 302, 307, 308]) {
      server.answer('getSlot', () => ({ status, headers: { location } }));
      const { code, context } = await errorOf(newClient().call('getSlot', [], asNumber));
      expect([code, context]).toEqual(['RPC_HTTP_STATUS', { status }]);
    }
    await other.stop();
    expect(other.requests).toEqual([]);
    expect(server.requests).toHaveLength(4);
  });

  test('an aborted call ends at once and is not tried again', async () => {
    server.answer('getSlot', () => 'hang');
    const controller = new AbortController();
    const call = newClient().call('getSlot', [], asNumber, { signal: controller.signal });
    await until('it was asked', () => server.count('getSlot') === 1);
    controller.abort();
    expect((await errorOf(call)).code).toBe('RPC_ABORTED');
    expect(server.count('getSlot')).toBe(1);
  });

  test('an abort ends the wait between two tries', async () => {
    server.answer('getSlot', () => ({ status: 429, headers: { 'retry-after': '60' } }));
    const controller = new AbortController();
    const timers = new ManualTimers();
    const client = newClient({ timers });
    const call = client.call('getSlot', [], asNumber, { signal: controller.signal });
    await until('it waits', () => timers.waitsMs.includes(60_000));
    controller.abort();
    expect((await errorOf(call)).code).toBe('RPC_ABORTED');
  });

  test('a raw body of many chunks arrives whole', async () => {
    const text = JSON.stringify({ result: { value: 'x'.repeat(5_000_000) } });
    server.answer('getProgramAccounts', () => ({ text }));
    const body = await newClient().callRaw('getProgramAccounts', []);
    expect(Buffer.from(body).equals(Buffer.from(text))).toBe(true);
  });

  test('an error in a raw body is recognised', async () => {
    server.answer('getProgramAccounts', () => ({ error: { code: -32010, message: 'forbidden' } }));
    const error = await errorOf(newClient().callRaw('getProgramAccounts', []));
    expect(error.code).toBe('RPC_REJECTED');
    expect(error.context).toEqual({ rpcCode: -32010, serverText: 'forbidden' });
  });

  test.each([
    ['5', 5_000],
    ['999999', 60_000],
    ['-1', 0],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 9_000],
    ['soon', null],
    ['', null],
    [null, null],
  ])('Retry-After %j is %j ms', (header, expected) => {
    expect(parseRetryAfter(header, 1_000)).toBe(expected);
  });
});

describe('client: keys of the URL', () => {
  const CREDENTIALS = Buffer.from('us er:pass').toString('base64');

  test('user info becomes a header', async () => {
    server.answer('getSlot', () => ({ result: 1 }));
    const url = server.rpcUrl.replace('http://', 'http://us%20er:pass@');
    await newClient({ url }).call('getSlot', [], asNumber);
    expect(server.requests[0]?.authorization).toBe(`Basic ${CREDENTIALS}`);
  });

  test.each<Reply>([
    { status: 403, body: `bad credentials ${CREDENTIALS}` },
    { status: 403, body: `bad header: Authorization: Basic ${CREDENTIALS}` },
    { error: { code: -32010, message: `forbidden for Basic ${CREDENTIALS}` } },
  ])('a message has nothing of a server that repeats the user info: %j', async (reply) => {
    server.answer('getSlot', () => reply);
    const url = server.rpcUrl.replace('http://', 'http://us%20er:pass@');
    const calls = [newClient({ url }).call('getSlot', [], asNumber)];
    calls.push(newClient({ url }).callRaw('getSlot', []).then(asNumber));
    for (const call of calls) {
      const error = await errorOf(call);
      expect(server.requests[0]?.authorization).toBe(`Basic ${CREDENTIALS}`);
      expect(`${error.message}${error.stack}${shownFailure(error)}`).not.toContain(CREDENTIALS);
      expect(loggedFailure(error)).toContain(CREDENTIALS);
    }
  });

  test('no message has a key that the server repeats: its text is for the log', async () => {
    const key = 'c0ffee00-secret-key';
    const url = `${server.rpcUrl}v2/${key}?api-key=${key}2&x=1`;
    server.answerInTurn('getSlot', [
      { status: 403, body: `key ${key} of ?api-key=${key}2 is bad` },
    ]);
    const error = await errorOf(newClient({ url }).call('getSlot', [], asNumber));
    expect(server.requests[0]?.path).toContain(key);
    expect(error.message).toContain('403');
    expect(`${error.message}${error.stack}${shownFailure(error)}`).not.toContain(key);
    expect(loggedFailure(error)).toContain(`key ${key} of`);
  });

  test('an unreachable server is named without its key', async () => {
    const url = 'http://user:secret-password@127.0.0.1:1/secret-path?key=secret-query';
    const error = await errorOf(newClient({ url }).call('getSlot', [], asNumber));
    expect(error.message).toContain('http://127.0.0.1:1/***?***');
    expect(error.message).not.toContain('secret');
  });

  test('an unreadable URL is not repeated', () => {
    const make = (): RpcClient => newClient({ url: 'htp//my-secret-key' });
    expect(make).toThrow(RpcError);
    expect(make).not.toThrow(/secret/);
  });
});
