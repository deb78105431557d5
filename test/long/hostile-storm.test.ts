/** Clients that all leave and come back at once, and a service that is stopped amid all kinds of them. */
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Random } from '../../src/sim/random.js';
import { CompatibleClient } from '../support/compatible-client.js';
import { frameBytes, OPCODE } from '../support/hostile-frames.js';
import { count, HostileGround, pooled } from '../support/hostile-ground.js';
import { RawSocket, UPGRADE_HEAD } from '../support/raw-socket.js';
import { SCENE } from '../support/scene-chain.js';

const CLIENTS = count(200, 5_000);
const LANES = 50;
/** Changes of the control client's market would keep the clients busy, which are one process here. */
const QUIET = 'SOL-PERP';
/** All have a book again by then. */
const BACK_MS_MAX = 60_000;
/** The service gives its parts five seconds; a busy machine gets more. */
const STOP_MS_MAX = 30_000;
const MESSAGE = { type: 'subscribe', channel: 'orderbook', marketType: 'perp' };

let ground: HostileGround;

beforeEach(async () => {
  ground = await HostileGround.start();
});

afterEach(() => ground?.stop());

async function come(clients: CompatibleClient[]): Promise<void> {
  const client = await CompatibleClient.open(ground.service.socketUrl);
  clients.push(client);
  expect((await client.subscribe({ market: QUIET }))['state']).toBe('live');
}

test(`${CLIENTS} clients leave and come back at once`, async (context) => {
  await ground.endure(context, async (_, share) => {
    const all = Array.from({ length: CLIENTS * share });
    const first: CompatibleClient[] = [];
    await pooled(all, LANES, () => come(first));
    for (const { socket } of first) socket.terminate();
    const leftMs = performance.now();
    const second: CompatibleClient[] = [];
    await pooled(all, LANES, () => come(second));
    const backMs = performance.now() - leftMs;
    expect(backMs).toBeLessThan(BACK_MS_MAX);
    for (const { strange, errors } of second) expect([strange, errors]).toEqual([[], []]);
    for (const { socket } of second) socket.terminate();
    return `all ${second.length} back after ${backMs.toFixed(0)} ms`;
  });
});

test('a service that is stopped amid them takes leave and ends in order', async () => {
  const { service } = ground;
  const client = await CompatibleClient.open(service.socketUrl);
  await client.subscribe({ market: SCENE.name });
  const slow = await RawSocket.connect(service.port);
  slow.write('GET /l2?market');
  const half = await RawSocket.connect(service.port);
  half.write(UPGRADE_HEAD);
  const deaf = await RawSocket.open(service.port);
  deaf.socket.pause();
  const payload = Buffer.from(JSON.stringify({ ...MESSAGE, market: SCENE.name }));
  deaf.write(frameBytes(new Random(1), { opcode: OPCODE.text, payload }));

  const beganMs = performance.now();
  const code = await service.stop();
  expect(performance.now() - beganMs).toBeLessThan(STOP_MS_MAX);
  expect(code, service.stderr).toBe(0);
  expect(await client.closed).toMatchObject({ code: 1_006 });
  expect(client.strange.map((text) => JSON.parse(text))).toMatchObject([{ type: 'closing' }]);
  await Promise.all([slow.ended, half.ended]);
  deaf.socket.resume();
  await once(deaf.socket, 'close');
});
