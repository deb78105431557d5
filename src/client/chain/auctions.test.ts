import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ScriptedRpc } from '../../../test/scripted-rpc.js';
import { endingOrders, oddOrders, oddUser } from '../../../test/support/odd-accounts.js';
import { until } from '../../../test/support/until.js';
import type { AccountWrite } from '../../sim/market/market-simulator.js';
import type { SocketClass } from '../environment.js';
import { Auctions, type UserAuctions } from './auctions.js';

const ORACLE = 150_000_000n;
const SLOT = 1_000;
/** Its auctions are over after 20 slots. */
const ended = oddUser({ seed: 1 }, endingOrders({ clock: clockAt(SLOT - 100), oracle: ORACLE }));
/** It has an auction of 255 slots, and one that begins later. */
const running = oddUser({ seed: 2 }, oddOrders({ clock: clockAt(SLOT - 100), oracle: ORACLE }));

let server: ScriptedRpc;
let auctions: Auctions;
let told: UserAuctions[];
/** Answers that have been read. */
let read: number;

function clockAt(slot: number) {
  return { slot, unixSeconds: 1_700_000_000 };
}

beforeEach(async () => {
  server = await ScriptedRpc.start();
  const rows = [ended, running].map(rowOf);
  server.answer('getProgramAccounts', () => ({ result: rows }));
  [told, read] = [[], 0];
  auctions = new Auctions({
    rpcUrl: server.rpcUrl,
    wsUrl: server.wsUrl,
    WebSocket: WebSocket as unknown as SocketClass,
    fetch: async (url, init) => {
      const text = await (await fetch(url, init)).text();
      read += 1;
      return new Response(text);
    },
  });
  auctions.onUpdate((update) => void told.push(update));
  auctions.open();
});

afterEach(async () => {
  auctions.close();
  await server.stop();
});

function rowOf({ pubkey, data }: AccountWrite) {
  return { pubkey, account: { data: [data.toString('base64'), 'base64'] } };
}

function announce(slot: number): void {
  server.notify(({ method }) => method === 'slotSubscribe', { slot, parent: slot - 1, root: 0 });
}

const heard = () =>
  told.map(({ address, slot, orders }) => [address, slot, orders.length > 0] as const);

test('accounts that are read before the first slot are judged by it', async () => {
  await until(() => read === 1);
  announce(SLOT);
  await until(() => told.length > 0);
  expect(heard()).toEqual([[running.pubkey, BigInt(SLOT), true]]);
  expect(auctions.active().map(({ address }) => address)).toEqual([running.pubkey]);
});

test('after a loss they are judged by the first slot of the new connection', async () => {
  await until(() => read === 1);
  announce(SLOT);
  await until(() => told.length > 0);
  server.cut();
  await until(() => read === 2);
  announce(SLOT + 5_000);
  await until(() => told.length > 1);
  expect(heard().slice(1)).toEqual([[running.pubkey, BigInt(SLOT + 5_000), false]]);
  expect(auctions.active()).toEqual([]);
});
