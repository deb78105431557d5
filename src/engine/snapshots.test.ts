import { describe, expect, test } from 'vitest';
import type { RawAccount } from '../contract/accounts.js';
import { ADDRESS, engineWith, IDLE_USER, NOW_MS, PERP, SLOT, SPOT, USER } from './testing.js';

describe('engine: snapshots', () => {
  const entry = (one: RawAccount): object => ({
    pubkey: one.pubkey,
    account: { lamports: 1, data: [one.data, one.encoding], owner: one.owner, rentEpoch: 2 ** 64 },
  });

  function answer(slot: number, value: readonly unknown[]): Uint8Array {
    return Buffer.from(
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: { context: { slot }, value } }),
    );
  }

  test('the accounts of an answer are applied in parts', async () => {
    const engine = engineWith(SPOT);
    const snapshot = await engine.decodeSnapshot(answer(SLOT, [entry(USER), entry(IDLE_USER)]));
    expect(snapshot).toMatchObject({ slot: SLOT, count: 2, problemCount: 0, problems: [] });
    engine.beginSnapshot(snapshot);
    expect(engine.applySnapshot(snapshot, 0, 1)).toBe(1);
    expect(engine.applySnapshot(snapshot, 1, 100)).toBe(1);
    expect(engine.applySnapshot(snapshot, 2, 100)).toBe(0);
    expect(engine.endSnapshot()).toEqual({ seen: 2, added: 2, changed: 0, removed: 0 });
    expect(engine.applySnapshot(snapshot, 0, 100)).toBe(0);
    engine.endTurn(NOW_MS);
    expect(engine.stateHash()).toBe(engineWith(SPOT, USER, IDLE_USER).stateHash());
  });

  test('accounts asked for by key are read, and a missing one is closed', async () => {
    const engine = engineWith(SPOT, USER);
    const { account: spot } = entry(SPOT) as { account: object };
    const body = answer(SLOT + 1, [spot, null]);
    const snapshot = await engine.decodeSnapshot(body, [ADDRESS.spot, ADDRESS.user]);
    engine.applySnapshot(snapshot, 0, snapshot.count);
    expect(engine.endTurn(NOW_MS)).toMatchObject({ applied: 2, closed: 1 });
    expect(engine.stats()).toMatchObject({ users: 0 });
  });

  test('accounts that the book has in an older state, or not at all, are lacking', async () => {
    const engine = engineWith(SPOT, USER);
    const turn = engine.turn;
    const lackingAt = async (slot: number): Promise<readonly string[]> => {
      const accounts = [SPOT, { ...IDLE_USER, pubkey: ADDRESS.user }, null, IDLE_USER];
      const value = accounts.map((one) => one && (entry(one) as { account: object }).account);
      const keys = [ADDRESS.spot, ADDRESS.user, ADDRESS.perp, ADDRESS.idleUser];
      return engine.lackingAccounts(await engine.decodeSnapshot(answer(slot, value), keys));
    };
    expect(await lackingAt(SLOT + 1)).toEqual([ADDRESS.user, ADDRESS.idleUser]);
    expect(await lackingAt(SLOT)).toEqual([ADDRESS.idleUser]);
    expect([engine.turn, engine.stats().users]).toEqual([turn, 1]);
  });

  test('positions are counted, in a snapshot and by the markets', async () => {
    const engine = engineWith(SPOT, PERP, USER);
    const { account } = entry(USER) as { account: object };
    const snapshot = await engine.decodeSnapshot(answer(SLOT, [account]), [ADDRESS.user]);
    expect(snapshot.positions).toBe(1);
    // The number of users with SOL-PERP positions in the captured account.
    const census = { subAccounts: 0, positions: 3_441, accounts: 3, quarantined: 0 };
    expect(engine.readCensus()).toEqual(census);
  });

  test.each([
    ['no JSON', 'x', 'MALFORMED_SNAPSHOT'],
    ['no context', '{"result":[]}', 'MALFORMED_SNAPSHOT'],
    ['an error', '{"error":{"code":-32005,"message":"Node is behind"}}', 'RPC_ERROR'],
  ])('an answer with %s is refused with a code', async (_name, body, code) => {
    const refused = engineWith().decodeSnapshot(Buffer.from(body));
    await expect(refused).rejects.toMatchObject({ name: 'EngineError', code });
  });
});
