import { beforeEach, describe, expect, test } from 'vitest';
import { NodePool, type RpcNode } from './node-pool.js';

let pool: NodePool;

function newPool(count: number): NodePool {
  const nodes = Array.from({ length: count }, (_, at) => ({ name: String(at) }) as RpcNode);
  const [first = nodes[0] as RpcNode, ...others] = nodes;
  return new NodePool({ nodes: [first, ...others], firstMs: 1, capMs: 1, random: () => 0 });
}

function fail(): void {
  pool.recordFailure();
  pool.moveToNext();
}

beforeEach(() => {
  pool = newPool(2);
  expect(pool.admitsChain('known', null)).toBe(true);
});

describe('another chain', () => {
  test('is followed at once where there is one node', () => {
    pool = newPool(1);
    pool.admitsChain('known', null);
    expect(pool.admitsChain('other', 'known')).toBe(true);
  });

  test('that one of several nodes names is not followed while another names the known one', () => {
    expect(pool.admitsChain('other', 'known')).toBe(false);
    fail();
    expect(pool.admitsChain('known', 'known')).toBe(true);
    pool.recordSuccess();
    fail();
    expect(pool.admitsChain('other', 'known')).toBe(false);
    fail();
    expect(pool.admitsChain('known', 'known')).toBe(true);
  });

  test('is followed when a second node names it too', () => {
    expect(pool.admitsChain('other', 'known')).toBe(false);
    fail();
    expect(pool.admitsChain('other', 'known')).toBe(true);
    expect(pool.admitsChain('other', 'other')).toBe(true);
  });

  test('is followed when no other node can be asked', () => {
    pool = newPool(3);
    pool.admitsChain('known', null);
    expect(pool.admitsChain('other', 'known')).toBe(false);
    for (let failures = 0; failures < 3; failures += 1) fail();
    expect(pool.current.name).toBe('0');
    expect(pool.admitsChain('other', 'known')).toBe(true);
  });

  test('that only a node names which was never of the known one is a wrong address', () => {
    fail();
    for (let tries = 0; tries < 5; tries += 1) {
      expect(pool.admitsChain('wrong', 'known')).toBe(false);
      fail();
      fail();
    }
  });
});
