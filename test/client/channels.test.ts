/** The compatible channels on sockets that a test speaks on, and trades of a store; service.test.ts has books. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ChannelClient, type ChannelTrade, type TradeBatch } from '../../src/client/index.js';
import { ClientWorld, settle } from '../support/client-world.js';
import { MarketStreamScene } from '../support/market-stream-scene.js';
import { until } from '../support/until.js';

const perp = { marketType: 'perp', market: 'SOL-PERP' } as const;
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function clientOf(url: string): ChannelClient {
  const client = new ChannelClient({ url, WebSocket });
  stops.push(() => client.close());
  return client;
}

describe('trades of a service', () => {
  test('come one by one with all digits', async () => {
    const scene = await MarketStreamScene.start();
    stops.push(() => scene.stop());
    const client = clientOf(scene.url);
    const told: TradeBatch<ChannelTrade>[] = [];
    const trades = client.trades({ channel: 'trades', ...perp });
    trades.onTrades((batch) => told.push(batch));
    const sent = await vi.waitFor(() => {
      const fill = scene.fill();
      if (told.length === 0) throw new Error('not subscribed yet');
      return fill;
    }, 60_000);
    await until(() => told.at(-1)?.trades[0]?.fillRecordId === sent.fillRecordId);
    const { baseAssetAmountFilled, takerFee, maker, oraclePrice, ts } = sent;
    const [trade] = told.at(-1)?.trades ?? [];
    expect(trade).toMatchObject({ baseAssetAmountFilled, takerFee, maker, oraclePrice, ts });
    trades.close();
    expect(trades.isOpen).toBe(false);
  });
});

describe('on a socket that a test speaks on', () => {
  const trade = (id: number) => ({
    ...{ ts: 1, txSig: `tx${id}`, slot: 2, fillRecordId: id, marketIndex: 0, marketType: 'perp' },
    ...{ action: 'fill', actionExplanation: 'orderFilledWithMatch', bitFlags: 0 },
  });

  test('what is missing is counted after a lost connection, and where the service says so', async () => {
    const world = new ClientWorld();
    const client = new ChannelClient({ url: 'http://service', ...world, clock: world.clock });
    const told: [number, number][] = [];
    client.trades({ channel: 'trades', ...perp }).onTrades(({ trades, leftOut }) => {
      told.push([Number(trades[0]?.fillRecordId), leftOut]);
    });
    world.socket.open();
    expect(world.socket.sent).toEqual([{ type: 'subscribe', channel: 'trades', ...perp }]);
    const say = (id: number) => {
      world.socket.say({ channel: 'trades_perp_0', data: JSON.stringify(trade(id)) });
    };
    // The number between is that of a transfer.
    for (const id of [5, 7]) say(id);
    world.socket.lose();
    await world.reconnect();
    say(12);
    say(9);
    world.socket.say({ message: 'Trades were left out', leftOut: 'trades_perp_0' });
    for (const id of [20, 21]) say(id);
    expect(told).toEqual([
      [5, 0],
      [7, 0],
      [12, 4],
      [9, 0],
      [20, 7],
      [21, 0],
    ]);
    client.close();
  });

  test('a silent socket is left, a refusal that may pass is asked for again', async () => {
    const world = new ClientWorld();
    const client = new ChannelClient({ url: 'http://service', ...world, clock: world.clock });
    const books = client.books({ channel: 'orderbook', ...perp });
    world.socket.open();
    await world.clock.pass(14_000);
    world.socket.say({ channel: 'heartbeat' });
    await world.clock.pass(14_000);
    expect(world.sockets).toHaveLength(1);
    await world.clock.pass(1_500);
    expect(world.sockets[0]?.isClosed).toBe(true);
    await world.reconnect();
    world.socket.say({ type: 'error', code: 'NOT_READY', message: 'no book yet' });
    await world.clock.pass(1_000);
    expect(world.socket.sent).toHaveLength(2);
    world.socket.say({ channel: 'orderbook_perp_0', data: '{"bids":1}' });
    expect(world.socket.isClosed).toBe(true);
    expect(books.book).toBeUndefined();
    books.close();
    await settle();
    await world.clock.pass(60_000);
    expect(world.sockets.at(-1)?.isClosed).toBe(true);
    expect(() =>
      new ChannelClient({ url: 'ftp://x', WebSocket }).books({ channel: 'orderbook', ...perp }),
    ).toThrow('url');
  });
});
