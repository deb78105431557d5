import { afterEach, expect, test } from 'vitest';
import { ScriptedRpc } from '../../test/scripted-rpc.js';
import { until } from '../../test/support/until.js';
import { RpcSocket } from './socket.js';
import { systemTimers } from './timers.js';

const closers: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('socket: one that is stopped and started at once hears of the new connection only', async () => {
  const server = await ScriptedRpc.start();
  closers.push(() => server.stop());
  const socket = new RpcSocket({ url: server.wsUrl, timers: systemTimers });
  closers.push(() => socket.stop());
  const events: string[] = [];
  const listener = {
    onOpened: () => void events.push('opened'),
    onClosed: (reason: string) => void events.push(`closed: ${reason}`),
    onMalformed: () => undefined,
  };
  socket.start(listener);
  await until('open', () => events.length === 1);
  socket.stop();
  socket.start(listener);
  await until('the old one is gone', () => socket.stats.closes === 1);
  await until('open again', () => events.length === 2);
  expect(events).toEqual(['opened', 'opened']);
  const slots: unknown[] = [];
  await socket.subscribe('slotSubscribe', [], (slot) => slots.push(slot));
  server.notify(() => true, 1);
  await until('it is notified', () => slots.length === 1);
});

test('socket: ids that a server gives out again after a cut belong to the new subscriptions', async () => {
  const server = await ScriptedRpc.start();
  closers.push(() => server.stop());
  const socket = new RpcSocket({ url: server.wsUrl, random: () => 0, timers: systemTimers });
  closers.push(() => socket.stop());
  let opened = 0;
  socket.start({
    onOpened: () => {
      opened += 1;
    },
    onClosed: () => undefined,
    onMalformed: () => undefined,
  });
  await until('open', () => opened === 1);
  const told: string[] = [];
  const before = await socket.subscribe('slotSubscribe', [], () => told.push('before the cut'));
  server.cut();
  await until('open again', () => opened === 2);
  const after = await socket.subscribe('rootSubscribe', [], () => told.push('after it'));
  expect(after.id).toBe(before.id);
  server.notify(() => true, 1);
  await until('it is told', () => told.length > 0);
  expect(told).toEqual(['after it']);
});
