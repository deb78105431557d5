/** Requests of the library: tries, waits, tags, aborts and errors. */
import { describe, expect, test } from 'vitest';
import type { Fetch, FetchInit } from '../../src/client/environment.js';
import { ClientError } from '../../src/client/error.js';
import { HttpClient } from '../../src/client/http/client.js';
import { ManualClock, settle } from '../support/client-world.js';

const version = { name: 'slotbook', version: '0.2.0', commit: null, node: 'v20' };

const refusal = (code: string, param: string | null = null) => ({
  error: { code, message: `said ${code}`, param },
});

type Reply = Response | Error | 'hang';

function reply(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(status === 304 ? null : text, { status, headers });
}

/** A service that gives these replies, one after the other, and the last one again and again. */
function scripted(replies: readonly Reply[], options: { retriesMax?: number } = {}) {
  const clock = new ManualClock();
  const asked: { url: string; init: FetchInit }[] = [];
  const fetch: Fetch = (url, init) => {
    const next = replies[Math.min(asked.length, replies.length - 1)];
    asked.push({ url, init });
    if (next instanceof Error) return Promise.reject(next);
    if (next instanceof Response) return Promise.resolve(next.clone());
    return new Promise((_, reject) => {
      init.signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  const client = new HttpClient({ url: 'http://service/v1/', fetch, clock, ...options });
  return { client, asked, clock };
}

/** Lets time pass until a call has ended. */
async function ended<T>(clock: ManualClock, call: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  call.then(over, over);
  for (let turn = 0; turn < 1_000 && !isOver; turn += 1) await clock.pass(1_000);
  return call;
}

describe('tries again', () => {
  test('after no answer and after 503, with waits that double and are cut by chance', async () => {
    const lost = new TypeError('fetch failed');
    const { client, asked, clock } = scripted([lost, lost, reply(503, ''), reply(200, version)]);
    clock.chance = 0.5;
    await expect(ended(clock, client.version())).resolves.toEqual(version);
    expect(asked).toHaveLength(4);
    const waits = clock.waits.filter((ms) => ms < 20_000);
    expect(waits).toEqual([125, 250, 500]);
  });

  test('after 429 not before the time that the service asks for', async () => {
    const late = reply(429, refusal('RATE_LIMITED'), { 'Retry-After': '7' });
    const { client, asked, clock } = scripted([late, reply(200, version)]);
    const call = client.version();
    await clock.pass(6_999);
    expect(asked).toHaveLength(1);
    await clock.pass(126);
    expect(asked).toHaveLength(2);
    await expect(call).resolves.toEqual(version);
  });

  test('a Retry-After may be a date', async () => {
    const clockDate = new Date(new ManualClock().unixMs() + 3_000).toUTCString();
    const late = reply(503, refusal('NOT_READY'), { 'Retry-After': clockDate });
    const { client, asked, clock } = scripted([late, reply(200, version)]);
    const call = client.version();
    await clock.pass(2_999);
    expect(asked).toHaveLength(1);
    await expect(ended(clock, call)).resolves.toEqual(version);
  });

  test('not when the service asks for more patience than there is: the caller is told how much', async () => {
    const late = reply(429, refusal('RATE_LIMITED'), { 'Retry-After': '3600' });
    const { client, asked } = scripted([late]);
    await expect(client.version()).rejects.toMatchObject({
      ...{ code: 'RATE_LIMITED', status: 429, retryAfterMs: 3_600_000 },
    });
    expect(asked).toHaveLength(1);
  });

  test('not after what no other try can mend', async () => {
    const { client, asked } = scripted([reply(400, refusal('OUT_OF_RANGE', 'depth'))]);
    const call = client.l2({ marketName: 'SOL-PERP', depth: 5_000 });
    await expect(call).rejects.toMatchObject({
      ...{ name: 'ClientError', code: 'OUT_OF_RANGE', status: 400, param: 'depth' },
      ...{ message: 'said OUT_OF_RANGE' },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.url).toBe('http://service/v1/l2?marketName=SOL-PERP&depth=5000');
  });

  test('after a try that took too long', async () => {
    const { client, asked, clock } = scripted(['hang', reply(200, version)]);
    await expect(ended(clock, client.version())).resolves.toEqual(version);
    expect(asked).toHaveLength(2);
    const { client: hanging, clock: other } = scripted(['hang'], { retriesMax: 0 });
    await expect(ended(other, hanging.version())).rejects.toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('an answer that is none', () => {
  test('of something between is an HTTP_STATUS with what it said', async () => {
    const { client, clock } = scripted([reply(429, '<html>slow down</html>')], { retriesMax: 0 });
    const call = ended(clock, client.version());
    await expect(call).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 429 });
    await expect(call).rejects.toThrow('slow down');
  });

  test.each([
    ['<html>', 'not JSON'],
    ['{"name":"slotbook","version":1}', 'version'],
    ['[]', 'object'],
  ])('%s is MALFORMED_ANSWER and tells where', async (body, place) => {
    const { client } = scripted([reply(200, body)]);
    const call = client.version();
    await expect(call).rejects.toMatchObject({ code: 'MALFORMED_ANSWER' });
    await expect(call).rejects.toThrow(place);
  });

  test('has its cause where there is no connection', async () => {
    const cause = new TypeError('fetch failed');
    const { client } = scripted([cause], { retriesMax: 0 });
    await expect(client.version()).rejects.toMatchObject({ code: 'UNREACHABLE', cause });
  });
});

describe('an abort', () => {
  test('ends a request that is under way', async () => {
    const { client, asked } = scripted(['hang']);
    const ending = new AbortController();
    const call = client.version({ signal: ending.signal });
    await settle();
    ending.abort('enough');
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
    expect(asked).toHaveLength(1);
  });

  test('ends a wait between two tries', async () => {
    const { client, asked, clock } = scripted([reply(503, refusal('NOT_READY'))]);
    const ending = new AbortController();
    const call = client.version({ signal: ending.signal });
    await settle();
    ending.abort();
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    await clock.pass(60_000);
    expect(asked).toHaveLength(1);
  });

  test('before the call asks for nothing', async () => {
    const { client, asked } = scripted([reply(200, version)]);
    const call = client.version({ signal: AbortSignal.abort() });
    await expect(call).rejects.toBeInstanceOf(ClientError);
    expect(asked).toHaveLength(0);
  });
});

test('what has not changed is neither sent nor read again', async () => {
  const tagged = reply(200, version, { ETag: '"e1.1"' });
  const { client, asked } = scripted([
    tagged,
    reply(304, null),
    reply(200, { ...version, node: 'v22' }),
  ]);
  const first = await client.version();
  expect(asked[0]?.init.headers).toEqual({});
  expect(await client.version()).toBe(first);
  expect(asked[1]?.init.headers).toEqual({ 'If-None-Match': '"e1.1"' });
  expect(await client.version()).toMatchObject({ node: 'v22' });
});

test('a query is written as the service reads it', async () => {
  const { client, asked } = scripted([reply(400, refusal('INVALID_PARAM'))]);
  const jit = [1n, 2n].map((price) => ({ price, size: 10n ** 20n }));
  const market = { marketType: 'perp', marketIndex: 3 } as const;
  await client.match({ ...market, side: 'buy', size: 10n ** 25n, jit }).catch(() => {});
  await client.batchL2([{ marketName: 'SOL-PERP' }, { marketName: 'A', depth: 5 }]).catch(() => {});
  expect(asked.map(({ url }) => decodeURIComponent(url.split('?')[1] ?? ''))).toEqual([
    'marketType=perp&marketIndex=3&side=buy&size=10000000000000000000000000' +
      '&jit=1:100000000000000000000&jit=2:100000000000000000000',
    'marketName=SOL-PERP,A&depth=,5',
  ]);
});

test('an address that is none is refused at once', () => {
  expect(() => new HttpClient({ url: 'service:80' })).toThrow('must begin with http');
});
