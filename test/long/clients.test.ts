/** Clients that others wrote speak with the service: a library of Node.js, a browser, and Python. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IncumbentClient } from '../support/incumbent-client.js';
import {
  BrowserPage,
  chromiumMissing,
  type Peer,
  type PeerMessage,
  peerKinds,
} from '../support/peers.js';
import { ask, BASE, bid, type Level, SCENE, SpecScene } from '../support/spec-scene.js';
import { until } from '../support/until.js';

const ONE = 1_000_000n;
/** Heartbeats come every five seconds. */
const UPDATES = 3;
/** Longer than the eleven seconds after which the clients in use give a connection up. */
const QUIET_MS = 12_500;

let scene: SpecScene;

beforeAll(async () => {
  scene = await SpecScene.start();
});

afterAll(() => scene?.stop());

const request = { channel: 'orderbook', marketType: 'perp', market: SCENE.name };

/** Waits until a peer has heard something for which it holds, and answers that. */
function hears<T>(peer: Peer, pick: (heard: Awaited<ReturnType<Peer['heard']>>) => T) {
  return until(async () => pick(await peer.heard()));
}

/** The whole conversation of a subscription, by one client. */
async function converse(peer: Peer, owner: number): Promise<void> {
  await peer.send({ type: 'subscribe', ...request });
  await hears(peer, (heard) => heard.some(({ data }) => data !== undefined));
  const [ack, book] = await said(peer);
  expect(ack).toEqual({
    message: `Subscribe received for channel: orderbook, market: ${SCENE.name}, marketType: perp`,
  });
  expect(book).toMatchObject({
    channel: SCENE.channel,
    data: { marketName: SCENE.name, marketType: 'perp', marketIndex: SCENE.marketIndex },
  });
  for (let update = 1n; update <= UPDATES; update += 1n) {
    const price = 80n * ONE + BigInt(owner) * ONE + update * SCENE.tick;
    await scene.place(owner, bid(price, { baseAssetAmount: update * BASE }));
    const level = await hears(peer, (heard) =>
      heard
        .flatMap(({ data }) => (data?.['bids'] ?? []) as Level[])
        .find((one) => one.price === `${price}`),
    );
    const size = `${update * BASE}`;
    expect(level).toEqual({ price: `${price}`, size, sources: { dlob: size } });
  }
  await hears(peer, (heard) => heard.some(({ channel }) => channel === 'heartbeat'));
  await peer.send({ type: 'unsubscribe', ...request });
  const isEnd = ({ message }: PeerMessage) => message?.startsWith('Unsubscribe') === true;
  const end = await hears(peer, (heard) => heard.find(isEnd));
  expect(end.message).toBe(ack?.message?.replace('Subscribe', 'Unsubscribe'));
  await scene.place(owner);
  await scene.book(({ bids }) => bids.every(({ size }) => size !== `${BigInt(UPDATES) * BASE}`));
  await peer.send({ type: 'ping', id: 'over' });
  const isPong = ({ type }: PeerMessage & { readonly type?: string }) => type === 'pong';
  await hears(peer, (heard) => heard.some(isPong));
  const all = await said(peer);
  expect(all.slice(all.findIndex(isEnd) + 1)).toMatchObject([{ type: 'pong', id: 'over' }]);
}

/** All that a peer has heard but for heartbeats, which come when it is time. */
async function said(peer: Peer): Promise<readonly PeerMessage[]> {
  return (await peer.heard()).filter(({ channel }) => channel !== 'heartbeat');
}

describe.concurrent('the compatible channel is spoken by', () => {
  peerKinds().forEach(({ name, missing, open }, index) => {
    test(name, async (context) => {
      if (missing !== undefined) context.skip(missing);
      const peer = await open(scene.socketUrl);
      await converse(peer, index + 1);
      await peer.close();
    });
  });

  test('a client as the incumbent system has them', async ({ expect }) => {
    const { name: symbol, marketIndex: index } = SCENE;
    const client = new IncumbentClient(scene.socketUrl, { symbol, index });
    client.start();
    await until(() => client.books.length > 0);
    await scene.place(50, bid(99n * ONE), ask(101n * ONE));
    await until(() => client.books.at(-1)?.bestBidPrice === 99n * ONE);
    expect(client.books.at(-1)?.markPrice).toBe(100n * ONE);
    // Nothing changes for longer than its patience; it stays, because heartbeats come.
    const { heartbeats: beats } = client;
    const quietFromMs = performance.now();
    const beatsMin = Math.floor(QUIET_MS / 5_000);
    await until(() => performance.now() - quietFromMs > QUIET_MS);
    await until(() => client.heartbeats - beats >= beatsMin);
    await scene.place(50);
    await until(() => client.books.at(-1)?.bestBidPrice !== 99n * ONE);
    expect([client.reconnects, client.dropped, client.ignored]).toEqual([0, 0, []]);
    client.stop();
  });
});

test('a page of another site reads /l2', async (context) => {
  const missing = chromiumMissing();
  if (missing !== undefined) context.skip(missing);
  const browser = await BrowserPage.open();
  const url = `${scene.service.url}/l2?marketName=${SCENE.name}`;
  const read = `fetch(${JSON.stringify(url)}).then(async (answer) => ({
    status: answer.status,
    tag: answer.headers.get('etag'),
    slot: answer.headers.get('x-slot'),
    body: await answer.json(),
  }))`;
  const answer = await browser.page.evaluate(read);
  await browser.close();
  const { slot, seq, epoch, state } = (answer as { body: Record<string, unknown> }).body;
  expect(answer).toMatchObject({
    status: 200,
    tag: `"${epoch}.${seq}.${slot}.${state}"`,
    slot: String(slot),
    body: { marketName: SCENE.name, state: 'live' },
  });
});
