import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ScriptedRpc } from '../../test/scripted-rpc.js';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { until } from '../../test/support/until.js';
import { RpcClient, type RpcClientOptions } from './client.js';
import { RETRY_AFTER_CAP_MS } from './limits.js';
import { RpcSocket } from './socket.js';
import { systemTimers } from './timers.js';

const closers: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe('client: a Retry-After', () => {
  const timers = (): ManualTimers => new ManualTimers();

  async function start(retryAfter: string): Promise<ScriptedRpc> {
    const server = await ScriptedRpc.start();
    closers.push(() => server.stop());
    const headers = { 'retry-after': retryAfter };
    server.answerInTurn('getSlot', [{ status: 429, headers }, { result: 7 }]);
    server.answer('getVersion', () => ({ result: 8 }));
    return server;
  }

  const newClient = (server: ScriptedRpc, options: Partial<RpcClientOptions>): RpcClient =>
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
    const server = await start('3');
    const client = newClient(server, { timers: held });
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
    const server = await start('30');
    const client = newClient(server, { timers: held, retryAfterMaxMs: 1_000 });
    const options = { isBackground: true };
    const inBackground = (): Promise<number> => client.call('getSlot', [], Number, options);
    await expect(inBackground()).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    await expect(inBackground()).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    expect(server.count('getSlot')).toBe(1);
    expect(await call(client, 'getSlot')).toBe(7);
    expect(held.waitsMs).toEqual([]);
  });

  test('of any other call holds for readings in the background as well', async () => {
    const client = newClient(await start('30'), { timers: timers(), retryAfterMaxMs: 1_000 });
    await expect(call(client, 'getSlot')).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    const later = client.call('getSlot', [], Number, { isBackground: true });
    await expect(later).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
  });

  test('above what the caller waits for fails the call without asking', async () => {
    const held = timers();
    const server = await start('3');
    const client = newClient(server, { timers: held, attemptsMax: 4, retryAfterMaxMs: 1_000 });
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
    const client = newClient(await start('86400'), { timers: held });
    await expect(call(client, 'getSlot')).rejects.toMatchObject({ code: 'RPC_RATE_EXCEEDED' });
    const later = call(client, 'getSlot');
    expect(held.waitsMs).toEqual([RETRY_AFTER_CAP_MS]);
    held.advance(RETRY_AFTER_CAP_MS);
    expect(await later).toBe(7);
  });
});

describe('socket: a Retry-After', () => {
  /** A server that rejects every upgrade this way, and counts them. */
  async function refusing(
    status: number,
    retryAfter: string,
  ): Promise<{ url: string; upgrades: number }> {
    const server: Server = createServer();
    const counted = { url: '', upgrades: 0 };
    server.on('upgrade', (_, socket) => {
      counted.upgrades += 1;
      // A stopped client may reset the connection; the error is otherwise unhandled.
      socket.on('error', () => undefined);
      socket.end(
        `HTTP/1.1 ${status} No\r\nRetry-After: ${retryAfter}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => void server.close());
    counted.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return counted;
  }

  test.each([429, 503])('of an upgrade refused with %i is waited for', async (status) => {
    const timers = new ManualTimers();
    const server = await refusing(status, '7');
    const socket = new RpcSocket({ url: server.url, timers, random: () => 1 });
    closers.push(() => socket.stop());
    const reasons: string[] = [];
    const closed = (reason: string): void => void reasons.push(reason);
    socket.start({ onOpened: () => undefined, onClosed: closed, onMalformed: () => undefined });
    await until('it was refused', () => reasons.length === 1);
    expect(reasons).toEqual([`HTTP status ${status} instead of an upgrade`]);
    expect(timers.waitsMs).toEqual([7_000]);
    timers.advance(6_999);
    expect(server.upgrades).toBe(1);
    timers.advance(1);
    await until('it tried again', () => server.upgrades === 2);
  });

  test('holds for a socket that is stopped and started again', async () => {
    const timers = new ManualTimers();
    const server = await refusing(429, '7');
    const socket = new RpcSocket({ url: server.url, timers, random: () => 1 });
    closers.push(() => socket.stop());
    let refused = 0;
    const listener = {
      onOpened: () => undefined,
      onClosed: () => {
        refused += 1;
      },
      onMalformed: () => undefined,
    };
    socket.start(listener);
    await until('it was refused', () => refused === 1);
    socket.stop();
    timers.advance(2_000);
    socket.start(listener);
    expect(timers.waitsMs).toEqual([5_000]);
    timers.advance(5_000);
    await until('it tried again', () => server.upgrades === 2);
  });
});
