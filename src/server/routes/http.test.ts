import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { FakeBook, startServer } from '../testing/running-server.js';

const MAKER = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH';
const book = new FakeBook();

const server = await startServer(book);

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly param?: string;
}

async function expectError(path: string, expected: Refusal): Promise<void> {
  const answer = await server.ask(path);
  const message = expect.stringMatching(/\w+ \w+/);
  expect(answer.error).toEqual({ param: null, message, ...expected });
  expect(answer.header('content-type')).toBe('application/json');
}

async function expectQuery(path: string, expected: Record<string, unknown>): Promise<void> {
  const { status, body } = await server.ask(path);
  expect({ status, body }).toMatchObject({ status: 200, body: { asked: expected } });
}

/** Sends each part when the one before it has left, and answers all that comes back. */
async function inPackets(parts: readonly string[]): Promise<string> {
  const socket = connect({ port: Number(new URL(server.url).port), noDelay: true });
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  const ended = once(socket, 'close');
  for (const part of parts) {
    await new Promise((resolve) => socket.write(part, resolve));
    // The server has read the part when it has answered somebody else.
    await server.ask('/health');
  }
  await ended;
  return answer;
}

describe('parameters of the book paths', () => {
  const invalid = { status: 400, code: 'INVALID_PARAM' };
  const outOfRange = { status: 400, code: 'OUT_OF_RANGE' };
  const missing = { status: 400, code: 'MISSING_PARAM' };
  const unknown = { status: 404, code: 'UNKNOWN_MARKET' };

  for (const path of ['/l2', '/l3']) {
    const name = `${path}?marketName=SOL-PERP`;
    test.each([
      [`${path}`, { ...missing, param: 'marketName' }],
      [`${path}?depth=5`, { ...missing, param: 'marketName' }],
      [`${path}?marketIndex=0`, { ...missing, param: 'marketType' }],
      [`${path}?marketType=perp`, { ...missing, param: 'marketIndex' }],
      [`${path}?marketName=NOPE-PERP`, { ...unknown, param: 'marketName' }],
      [`${path}?marketIndex=77&marketType=perp`, { ...unknown, param: 'marketIndex' }],
      [`${path}?marketIndex=0&marketType=spot`, { ...unknown, param: 'marketIndex' }],
      [`${path}?marketName=`, { ...invalid, param: 'marketName' }],
      [`${path}?marketName=${'A'.repeat(33)}`, { ...invalid, param: 'marketName' }],
      [`${path}?marketName=%E0%A4%A`, { ...invalid, param: 'marketName' }],
      [`${name}&marketName=SOL-PERP`, { ...invalid, param: 'marketName' }],
      [`${name}&marketIndex=x`, { ...invalid, param: 'marketIndex' }],
      [`${path}?marketIndex=0abc&marketType=perp`, { ...invalid, param: 'marketIndex' }],
      [`${path}?marketIndex=&marketType=perp`, { ...invalid, param: 'marketIndex' }],
      [`${path}?marketIndex=1.5&marketType=perp`, { ...invalid, param: 'marketIndex' }],
      [`${path}?marketIndex=0&marketIndex=0&marketType=perp`, { ...invalid, param: 'marketIndex' }],
      [`${path}?marketIndex=-1&marketType=perp`, { ...outOfRange, param: 'marketIndex' }],
      [`${path}?marketIndex=65536&marketType=perp`, { ...outOfRange, param: 'marketIndex' }],
      [`${path}?marketIndex=0&marketType=future`, { ...invalid, param: 'marketType' }],
      [`${path}?marketIndex=0&marketType=`, { ...invalid, param: 'marketType' }],
      [
        `${path}?marketIndex=0&marketType=perp&marketType=perp`,
        { ...invalid, param: 'marketType' },
      ],
      [`${name}&depth=`, { ...invalid, param: 'depth' }],
      [`${name}&depth=abc`, { ...invalid, param: 'depth' }],
      [`${name}&depth=1e2`, { ...invalid, param: 'depth' }],
      [`${name}&depth=0x10`, { ...invalid, param: 'depth' }],
      [`${name}&depth=+5`, { ...invalid, param: 'depth' }],
      [`${name}&depth=5.0`, { ...invalid, param: 'depth' }],
      [`${name}&depth=%zz`, { ...invalid, param: 'depth' }],
      [`${name}&depth=5&depth=5`, { ...invalid, param: 'depth' }],
      [`${name}&depth=0`, { ...outOfRange, param: 'depth' }],
      [`${name}&depth=-3`, { ...outOfRange, param: 'depth' }],
      [`${name}&depth=1001`, { ...outOfRange, param: 'depth' }],
      [`${name}&depth=${'9'.repeat(400)}`, { ...outOfRange, param: 'depth' }],
      [`${name}&includeVamm=true&includeVamm=true`, { ...invalid, param: 'includeVamm' }],
      [`${name}&includeIndicative=&includeIndicative=`, { ...invalid, param: 'includeIndicative' }],
      [`${name}&uncross=true&uncross=false`, { ...invalid, param: 'uncross' }],
      [`${path}?marketName=NOPE&depth=abc`, { ...invalid, param: 'depth' }],
    ])('%s is refused', expectError);
  }

  test.each([
    ['/l2?marketName=SOL-PERP&grouping=', { ...invalid, param: 'grouping' }],
    ['/l2?marketName=SOL-PERP&grouping=ten', { ...invalid, param: 'grouping' }],
    ['/l2?marketName=SOL-PERP&grouping=1&grouping=1', { ...invalid, param: 'grouping' }],
    ['/l2?marketName=SOL-PERP&grouping=0', { ...outOfRange, param: 'grouping' }],
    ['/l2?marketName=SOL-PERP&grouping=1000001', { ...outOfRange, param: 'grouping' }],
    ['/l3?marketName=SOL-PERP&maker=', { ...invalid, param: 'maker' }],
    ['/l3?marketName=SOL-PERP&maker=0OIl', { ...invalid, param: 'maker' }],
    ['/l3?marketName=SOL-PERP&maker=abc', { ...invalid, param: 'maker' }],
    [`/l3?marketName=SOL-PERP&maker=${MAKER}1`, { ...invalid, param: 'maker' }],
    [`/l3?marketName=SOL-PERP&maker=${'1'.repeat(31)}`, { ...invalid, param: 'maker' }],
    [`/l3?marketName=SOL-PERP&maker=${'1'.repeat(33)}`, { ...invalid, param: 'maker' }],
    [`/l3?marketName=SOL-PERP&maker=${'z'.repeat(44)}`, { ...invalid, param: 'maker' }],
    [`/l3?marketName=SOL-PERP&maker=${MAKER}&maker=${MAKER}`, { ...invalid, param: 'maker' }],
  ])('%s is refused', expectError);

  // Specification: l2-market, l2-depth, l2-vamm, l2-indicative, l3-market, limit-depth.
  test.each([
    ['/l2?marketName=SOL-PERP', { market: 0, depth: 10 }],
    ['/l2?marketName=sol-perp&depth=1', { market: 0, depth: 1 }],
    ['/l2?marketName=SOL%2DPERP&depth=1000', { market: 0, depth: 1000 }],
    ['/l2?marketIndex=1&marketType=SPOT', { market: 1 }],
    ['/l2?marketName=SOL&marketIndex=1&marketType=spot', { market: 1 }],
    ['/l2?marketName=SOL-PERP&grouping=1000000', { grouping: 1_000_000 }],
    [
      '/l2?marketName=SOL-PERP&includeVamm=TRUE&uncross=1&includeIndicative=',
      { market: 0, depth: 10, vamm: true },
    ],
    ['/l2?marketName=SOL&includeIndicative=true', { market: 1, depth: 10, indicative: true }],
    ['/l3?marketName=SOL-PERP&includeVamm=true&includeIndicative=True', { indicative: true }],
    ['/l2?marketName=SOL-PERP&colour=red&colour=blue&maker=x&%zz=1&&=', { market: 0 }],
    ['/l3?marketName=SOL-PERP&grouping=bad', { market: 0 }],
    ['/l3?marketName=SOL-PERP&depth=7', { market: 0, depth: 7 }],
    [`/l3?marketName=SOL-PERP&maker=${MAKER}`, { maker: MAKER }],
  ])('%s is understood', expectQuery);

  test.each([
    ['/l3?marketName=SOL-PERP', { market: 0 }],
    ['/l2?marketName=SOL-PERP', { market: 0, depth: 10 }],
  ])('%s asks for nothing beyond the defaults', async (path, expected) => {
    expect((await server.ask(path)).body).toEqual({ asked: expected });
  });
});

describe('paths and methods', () => {
  test.each(['/l2', '/v1/l2', '/dlob/l2'])('%s is the book', async (path) => {
    await expectQuery(`${path}?marketName=SOL-PERP`, { market: 0 });
  });

  test.each(['/l4', '/l2/', '//l2', '/dlobl2', '/dlob/markets', '/L2', '/v2/l2', '/%6c2'])(
    '%s is no path',
    (path) => expectError(path, { status: 404, code: 'UNKNOWN_PATH' }),
  );

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s is refused', async (method) => {
    const answer = await server.ask('/l2?marketName=SOL-PERP', {}, method);
    expect(answer.error).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
    expect(answer.header('allow')).toBe('GET, HEAD, OPTIONS');
  });

  test('a preflight allows the headers that it asks for, in bounds', async () => {
    const allowedOf = async (asked: string) => {
      const headers = { 'access-control-request-headers': asked };
      const answer = await server.ask('/l2', headers, 'OPTIONS');
      expect(answer.header('vary')).toContain('Access-Control-Request-Headers');
      return answer.header('access-control-allow-headers');
    };
    for (const asked of ['x-client', 'authorization, X-Api_Key,content-type']) {
      expect(await allowedOf(asked)).toBe(asked);
    }
    const own = 'Content-Type, If-None-Match';
    const wrong = ['', 'a b', 'a,', ',a', 'a;b', '"a"', 'x'.repeat(LIMITS.corsHeadersCharsMax + 1)];
    for (const asked of wrong) expect([asked, await allowedOf(asked)]).toEqual([asked, own]);
  });

  test('OPTIONS answers a preflight', async () => {
    const answer = await server.ask('/l2', {}, 'OPTIONS');
    expect(answer.status).toBe(204);
    expect(answer.header('access-control-allow-origin')).toBe('*');
    expect(answer.header('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    expect(answer.header('access-control-allow-headers')).toContain('If-None-Match');
  });

  test.each(['/l2?marketName=SOL-PERP', '/markets', '/health', '/metrics', '/l2?depth=x', '/nope'])(
    'HEAD %s has the head of GET and no body',
    async (path) => {
      const whole = await server.ask(path);
      const head = await server.ask(path, {}, 'HEAD');
      expect([head.status, head.text]).toEqual([whole.status, '']);
      expect(head.header('content-type')).toBe(whole.header('content-type'));
      const length = Number(head.header('content-length'));
      // The figures of /metrics move between two reads; every other body has one length.
      if (path === '/metrics') expect(length).toBeGreaterThan(0);
      else expect(length).toBe(Buffer.byteLength(whole.text));
    },
  );

  test('HEAD is answered without a body, which would be read as the next answer', async () => {
    const line = '/markets HTTP/1.1\r\nHost: x\r\n';
    const read = await inPackets([`HEAD ${line}\r\n`, `GET ${line}Content-Length: 1\r\n\r\nx`]);
    expect(read).toMatch(/^HTTP\/1.1 200 OK\r\n(.+\r\n)+\r\nHTTP\/1.1 400/);
  });

  test('a request line beyond the limit is refused', async () => {
    await expectError(`/l2?marketName=SOL-PERP&x=${'y'.repeat(LIMITS.requestLineBytesMax)}`, {
      status: 413,
      code: 'TOO_LARGE',
    });
  });

  test('headers beyond the limit are refused', async () => {
    const headers = { 'x-filler': 'y'.repeat(LIMITS.headerBytesMax) };
    expect((await server.ask('/l2?marketName=SOL-PERP', headers)).status).toBe(413);
  });

  test.each([
    ['within the limits is answered', 15_000, '200'],
    ['beyond them is refused by name', 20_000, '413'],
  ])('a request in two packets that is %s', async (_what, bytes, status) => {
    const head = `GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Filler: `;
    const filler = 'y'.repeat(bytes / 2);
    const answer = await inPackets([head + filler, `${filler}\r\n\r\n`]);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\\{.*\\}$`, 's'));
  });

  test('a long value is not echoed whole', async () => {
    const { text } = await server.ask(`/l2?marketName=SOL-PERP&depth=${'z'.repeat(3_000)}`);
    expect(text.length).toBeLessThan(300);
  });
});

describe('headers and conditional requests', () => {
  const path = '/l2?marketName=SOL-PERP';

  test('a book carries its version, its type and its CORS headers', async () => {
    const { headers } = await server.ask(path);
    expect(headers.get('etag')).toBe(`"${book.epoch}.7.1000.live"`);
    expect(headers.get('x-slot')).toBe('1000');
    expect(headers.get('x-state')).toBe('live');
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toBe(
      'ETag, X-Slot, X-State, X-As-Of, X-Next-Cursor, Retry-After, ' +
        'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
    );
  });

  const etag = `"${book.epoch}.7.1000.live"`;
  test.each([etag, `W/${etag}`, `"other", ${etag}`, '*'])(
    'If-None-Match %s gives 304 with slot and state',
    async (value) => {
      const { status, text, headers } = await server.ask(path, { 'If-None-Match': value });
      expect([status, text]).toEqual([304, '']);
      const told = ['etag', 'x-slot', 'x-state'].map((name) => headers.get(name));
      expect(told).toEqual([value.startsWith('W/') ? value : etag, '1000', 'live']);
    },
  );

  test('each part of the version changes the tag', async () => {
    for (const change of [{ seq: 8 }, { slot: 1001 }, { state: 'stale' } as const]) {
      book.current = { ...book.current, ...change };
      const answer = await server.ask(path, { 'If-None-Match': etag });
      expect(answer.status).toBe(200);
      expect(answer.header('etag')).not.toBe(etag);
      book.current = { seq: 7, slot: 1000, state: 'live', auctions: 0 };
    }
    expect((await server.ask(path, { 'If-None-Match': etag })).status).toBe(304);
  });

  test('the same version of another epoch has another tag', async () => {
    const before = book.epoch;
    expect((await server.ask(path)).header('etag')).toBe(etag);
    book.epoch = 'epoch-2';
    const answer = await server.ask(path, { 'If-None-Match': etag });
    book.epoch = before;
    expect([answer.status, answer.header('etag')]).toEqual([200, '"epoch-2.7.1000.live"']);
  });
});
