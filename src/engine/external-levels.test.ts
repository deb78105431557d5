import { describe, expect, test } from 'vitest';
import { codeOf, engineWith, idOf, PERP, SPOT } from './testing.js';

const levels = {
  bids: [{ price: 149_000_000n, size: 1_000_000_000n }],
  asks: [{ price: 151_000_000n, size: 1_000_000_000n }],
};

describe('engine: external levels', () => {
  test('change no book, and no version, but the answers of this turn', () => {
    const engine = engineWith(SPOT);
    const market = idOf(engine, 'SOL');
    const bodyOf = (): string => Buffer.from(engine.l2({ market, depth: 10 })).toString();
    const before = [bodyOf(), engine.version(market), engine.stateHash()];
    const { turn } = engine;
    engine.setExternalLevels(market, levels);
    expect([bodyOf(), engine.version(market), engine.stateHash()]).toEqual(before);
    expect(engine.turn).toBeGreaterThan(turn);
  });

  test('are of spot markets only', () => {
    const engine = engineWith(SPOT, PERP);
    const set = (market: number) => codeOf(() => engine.setExternalLevels(market, levels));
    expect(set(idOf(engine, 'SOL'))).toBeUndefined();
    expect(set(idOf(engine, 'SOL-PERP'))).toBe('MARKET_NOT_FOUND');
    expect(set(99)).toBe('MARKET_NOT_FOUND');
    expect(set(65_536)).toBe('MARKET_NOT_FOUND');
  });
});
