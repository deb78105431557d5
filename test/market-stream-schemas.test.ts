/** docs/schemas/market-stream.json describes the messages as they are, no more; so do the examples. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { engineWith, idOf, ORACLE, PERP, SPOT, USER } from '../src/engine/testing.js';
import { systemTimers } from '../src/rpc/timers.js';
import { summarySource } from '../src/server/routes/stats.js';
import { MARKET_CHANNELS } from '../src/server/sockets/market-dialect.js';
import { MessageSchemas } from './support/message-schemas.js';
import { SocketScene } from './support/socket-scene.js';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

const schemas = new MessageSchemas(JSON.parse(read('docs/schemas/market-stream.json')));
const kindsOf = schemas.kindsOf.bind(schemas);

describe('the schemas of candles and trades', () => {
  test('refuse what is not so', () => {
    expect(kindsOf({ type: 'init' })).toEqual([]);
    expect(kindsOf({ type: 'update', candle: {}, trades: [] })).toEqual([]);
    expect(kindsOf({ type: 'error', code: 'NO_SUCH_CODE', message: '' })).toEqual([]);
  });

  test('fit books in decimals and the statistics of all markets', async () => {
    const engine = engineWith(PERP, SPOT, ORACLE, USER);
    const summaries = summarySource({ timers: systemTimers, book: engine, directory: engine });
    const sockets = await SocketScene.start({ book: engine, directory: engine, summaries });
    const client = await sockets.open();
    for (const members of [
      { channelType: 'orderbook', symbol: 'sol' },
      { channelType: 'pricing' },
      { channelType: 'markets' },
    ]) {
      const message = { type: 'subscribe', ...members };
      expect(kindsOf(message, 'client')).toHaveLength(1);
      client.send(message);
    }
    await client.hear(6);
    const told = client.texts.map((text) => JSON.parse(text));
    expect(told.map((message) => kindsOf(message))).toEqual([
      ...[['acknowledgement'], ['bookMessage'], ['summaryMessage'], ['acknowledgement']],
      ...[['summaryMessage'], ['acknowledgement']],
    ]);
    const market = idOf(engine, 'SOL');
    const { bids, asks, markPrice } = JSON.parse(
      Buffer.from(engine.l2({ market, depth: 20, grouping: 1 })).toString(),
    );
    const inUnits = (levels: readonly { price: string; size: string }[]) =>
      levels.map(({ price, size }) => [Number(price) / 1e6, Number(size) / 1e9]);
    const [, { data }, pricing] = told;
    const shown = data.levels.map((side: readonly string[][]) =>
      side.map((level) => level.map(Number)),
    );
    expect(bids.length).toBeGreaterThan(0);
    expect(shown).toEqual([inUnits(bids), inUnits(asks)]);
    expect(Number(data.markPrice)).toBe(Number(markPrice) / 1e6);
    const [perp, spot] = pricing.data;
    expect(perp).toEqual({
      ...{ symbol: 'SOL-PERP', marketIndex: 0, marketType: 'perp' },
      ...{ oraclePrice: '143.798202', markPrice: '143.798202', price: '' },
    });
    expect(spot).toEqual({
      ...{ symbol: 'SOL', marketIndex: 1, marketType: 'spot' },
      ...{ oraclePrice: data.oraclePrice, price: '' },
    });
    await sockets.stop();
  });

  test('fit the messages of clients in docs/market-streams.md', () => {
    const lines = read('docs/market-streams.md').split('\n');
    const examples = lines.filter((line) =>
      /^\{ "type": "subscribe", "(channelType|symbol)"/.test(line),
    );
    // Candles are asked for in both forms.
    expect(examples).toHaveLength(MARKET_CHANNELS.length + 1);
    for (const line of examples) expect(kindsOf(JSON.parse(line), 'client')).toHaveLength(1);
  });
});
