import { afterEach, describe, expect, test } from 'vitest';
import { ScriptedRpc } from '../../test/scripted-rpc.js';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { RpcClient, type RpcClientOptions } from './client.js';
import { RETRY_AFTER_CAP_MS } from './limits.js';
import { systemTimers } from './timers.js';

let server: ScriptedRpc;

afterEach(() => server.stop());

describe('client: a Retry-After', () => {
  const timers = (): ManualTimers => new ManualTimers();

  async function start(retryAfter: string): Promise<void> {
    server = await ScriptedRpc.start();
    const headers = { 'retry-after': retryAfter };
    server.answerInTurn('getSlot', [{ status: 429, headers }, { result: 7 }]);
    server.answer('getVersion', () => ({ result: 8 }));
  }

  const newClient = (options: Partial<RpcClientOptions>): RpcClient =>
    new RpcClient({
      timers: systemTimers,
      url: server.rpcUrl,
      random: () => 1,
      attemptsMax: 1,
      ...options,
    });

  const call = (client: RpcClient, method: string): Promise<number> =>
    client.call(method, [], Number);

  test('holds for later calls of the same method, not of others', async () => {
    const held = timers();
    await start('3');
    const client = newClient({ timers: held });
    await expect(call(client, 'getSlot')).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    expect(await call(client, 'getVersion')).toBe(8);
    const later = call(client, 'getSlot');
    expect(held.waitsMs).toEqual([3_000]);
    expect(server.count('getSlot')).toBe(1);
    held.advance(3_000);
    expect(await later).toBe(7);
  });

  test('of a reading in the background holds for others of its kind, and holds back no other call', async () => {
    const held = timers();
    await start('30');
    const client = newClient({ timers: held, retryAfterMaxMs: 1_000 });
    const options = { isBackground: true };
    const inBackground = (): Promise<number> => client.call('getSlot', [], Number, options);
    await expect(inBackground()).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    await expect(inBackground()).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    expect(server.count('getSlot')).toBe(1);
    expect(await call(client, 'getSlot')).toBe(7);
    expect(held.waitsMs).toEqual([]);
  });

  test('of any other call holds for readings in the background as well', async () => {
    await start('30');
    const client = newClient({ timers: timers(), retryAfterMaxMs: 1_000 });
    await expect(call(client, 'getSlot')).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    const later = client.call('getSlot', [], Number, { isBackground: true });
    await expect(later).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
  });

  test('above what the caller waits for fails the call without asking', async () => {
    const held = timers();
    await start('3');
    const client = newClient({ timers: held, attemptsMax: 4, retryAfterMaxMs: 1_000 });
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(call(client, 'getSlot')).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    }
    expect(server.count('getSlot')).toBe(1);
    held.advance(2_500);
    const later = call(client, 'getSlot');
    held.advance(500);
    expect(await later).toBe(7);
  });

  test('of hours is cut to a minute', async () => {
    const held = timers();
    await start('86400');
    const client = newClient({ timers: held });
    await expect(call(client, 'getSlot')).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    const later = call(client, 'getSlot');
    expect(held.waitsMs).toEqual([RETRY_AFTER_CAP_MS]);
    held.advance(RETRY_AFTER_CAP_MS);
    expect(await later).toBe(7);
  });
});
