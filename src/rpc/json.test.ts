import { describe, expect, test } from 'vitest';
import { parseJson } from './json.js';
import { CALL_BODY_BYTES_MAX } from './limits.js';

describe('json: a body of a node', () => {
  test.each([
    ['lists', '[],'],
    ['objects', '{},'],
  ])('of %s alone is not parsed', (_name, unit) => {
    const body = Buffer.from(`[${unit.repeat(CALL_BODY_BYTES_MAX / unit.length - 1)}0]`);
    expect(parseJson(body)).toBeUndefined();
  });

  test('that is nested without end is not parsed', () => {
    const depth = CALL_BODY_BYTES_MAX / 2;
    expect(parseJson(Buffer.from('['.repeat(depth) + ']'.repeat(depth)))).toBeUndefined();
  });

  test('of two thousand large accounts is', () => {
    const data = ['a'.repeat(1_700), 'base64'];
    const row = { pubkey: 'p'.repeat(44), account: { data, owner: 'o'.repeat(44), lamports: 1 } };
    const value = Array.from({ length: 2_000 }, () => row);
    const body = Buffer.from(JSON.stringify({ result: { context: { slot: 1 }, value } }));
    expect(body.byteLength).toBeLessThan(CALL_BODY_BYTES_MAX);
    expect(parseJson(body)).toEqual({ result: { context: { slot: 1 }, value } });
  });

  test('that is cut is not JSON', () => {
    expect(parseJson(Buffer.from('{"result":'))).toBeUndefined();
  });
});
