import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clockData, FakeChain, kindOf } from '../../test/fake-chain.js';
import { FakeEngine } from '../../test/fake-engine.js';
import { ScriptedRpc, until } from '../../test/scripted-rpc.js';
import { RpcClient } from '../rpc/client.js';
import { RpcSocket } from '../rpc/socket.js';
import { LiveFeed, type LiveFeedOptions } from './live-feed.js';
import { CLOCK_KEY } from './queries.js';

let server: ScriptedRpc;
let chain: FakeChain;
let engine: FakeEngine;
let feed: LiveFeed;
let socket: RpcSocket;

beforeEach(async () => {
  server = await ScriptedRpc.start();
  chain = new FakeChain(server);
  engine = new FakeEngine();
});

afterEach(async () => {
  feed.stop();
  await server.stop();
});

function start(options: Partial<LiveFeedOptions> = {}, ackTimeoutMs = 5_000): Promise<void> {
  socket = new RpcSocket({ url: server.wsUrl, random: () => 0, ackTimeoutMs });
  feed = new LiveFeed({
    rpc: new RpcClient({ url: server.rpcUrl, random: () => 0 }),
    socket,
    engine,
    programId: 'program',
    random: () => 0,
    wallMs: () => 5_000,
    timing: { laggingAfterMs: 60_000, staleAfterMs: 120_000 },
    ...options,
  });
  return feed.start();
}

function user(name: string): string | undefined {
  return engine.accounts.get(name);
}

async function untilUser(name: string, data: string | undefined): Promise<void> {
  await until(`${name} is ${data}`, () => user(name) === data);
}

/** Notifications are read in order, so a later one that arrived proves that the earlier ones did. */
async function notifiedAll(): Promise<void> {
  const slot = chain.slot + 1_000;
  chain.tick(slot);
  await until('the slot arrived', () => feed.stats().slot === slot);
}

describe('feed: start', () => {
  test('all accounts are read and the book is live', async () => {
    await start();
    expect([...engine.accounts.keys()].sort()).toEqual([
      'oracle0',
      'perp0',
      'state',
      'user1',
      'user2',
    ]);
    expect(engine.state).toBe('live');
    expect(engine.unixSeconds).toBe(1_000);
    expect(feed.status()).toEqual({ everLive: true, state: 'live', reason: null, slot: 0 });
  });

  test('it subscribes before it reads, with the filters of the program', async () => {
    await start();
    const first = server.requests.find(({ method }) => method === 'getProgramAccounts');
    const users = server.subscriptions.find(
      ({ method, params }) => method === 'programSubscribe' && kindOf(params) === 'user',
    );
    expect(users?.params).toEqual([
      'program',
      {
        encoding: 'base64+zstd',
        commitment: 'processed',
        filters: [
          { memcmp: { offset: 0, bytes: 'TfwwBiNJtao' } },
          { dataSize: 4376 },
          { memcmp: { offset: 4350, bytes: '1' } },
        ],
      },
    ]);
    expect(first?.params[1]).toMatchObject({ withContext: true, commitment: 'processed' });
    const watched = server.subscriptions.filter(({ method }) => method === 'accountSubscribe');
    expect(watched.map(({ params }) => params[0])).toEqual([CLOCK_KEY, 'oracle0']);
  });

  test('no turn shows accounts as live before all are there', async () => {
    for (let index = 0; index < 1_000; index += 1) chain.accounts.set(`user-${index}`, 'x');
    await start();
    const live = engine.turns.filter(({ state }) => state === 'live');
    expect(live.length).toBeGreaterThan(0);
    expect(live.every(({ accounts }) => accounts === engine.accounts.size)).toBe(true);
    expect(engine.turns.filter(({ state }) => state === 'rebuilding').length).toBeGreaterThan(3);
  });

  test('a subscribe that is never answered is given up and tried on a new connection', async () => {
    let silent = true;
    server.onSubscribe = (method) => (silent && method === 'slotSubscribe' ? 'silent' : 'ack');
    const live = start({}, 40);
    await until('the second connection', () => server.upgrades >= 2);
    silent = false;
    await live;
    expect(engine.state).toBe('live');
  });

  test('a reading that fails is tried again on the same connection', async () => {
    let failures = 2;
    server.answer('getProgramAccounts', (params) => {
      if (kindOf(params) !== 'user' || failures === 0) return chain.program(kindOf(params));
      failures -= 1;
      return { error: { code: -32010, message: 'scan aborted' } };
    });
    await start();
    expect(server.upgrades).toBe(1);
    expect(feed.stats()).toMatchObject({ rebuilds: 3, rebuildFailures: 2 });
  });

  test('a reading older than the subscription is read again', async () => {
    server.answer('getGenesisHash', async () => {
      chain.tick(200);
      await until('the slot arrived', () => feed.stats().slot === 200);
      return { result: 'genesis' };
    });
    chain.slot = 198;
    const live = start();
    await until('an old reading', () => server.count('getProgramAccounts') >= 1);
    chain.slot = 199;
    await live;
    expect(engine.calls).toContain('begin 2 @199');
    expect(engine.calls.some((call) => call.includes('@198'))).toBe(false);
  });

  test('a node that stays behind its own socket never makes a live book', async () => {
    server.answer('getGenesisHash', async () => {
      chain.tick(200);
      await until('the slot arrived', () => feed.stats().slot === 200);
      return { result: 'genesis' };
    });
    chain.slot = 150;
    const live = start();
    await until('the reading failed', () => feed.stats().rebuildFailures === 1);
    expect(feed.status().state).toBe('starting');
    expect(engine.calls).toEqual(['state rebuilding']);
    chain.slot = 200;
    await live;
  });
});

describe('feed: replay', () => {
  /** Notifies while the users are read; the reading is as of slot 100. */
  async function check(
    notified: readonly (readonly [string, string, number])[],
    expected: string | undefined,
  ): Promise<void> {
    chain.beforeUsers = async () => {
      const before = feed.stats().notifications;
      for (const [pubkey, data, slot] of notified) chain.notify(pubkey, data, slot);
      const all = before + notified.length;
      await until('they arrived', () => feed.stats().notifications === all);
    };
    await start();
    expect(user('user1')).toBe(expected);
  }

  test('a notification older than the reading is not applied', async () => {
    await check([['user1', 'older', 99]], 'a');
    expect(feed.stats()).toMatchObject({ replayed: 0, replayedTooOld: 1 });
  });

  test('a notification of the slot of the reading is applied', () =>
    check([['user1', 'equal', 100]], 'equal'));

  test('newer notifications are applied in the order of their arrival', () =>
    check(
      [
        ['user1', 'newer', 103],
        ['user1', 'reverted', 101],
      ],
      'reverted',
    ));

  test('a user closed during the reading is gone', () => check([['user1', '', 101]], undefined));

  test('replay comes after the whole reading and before live', async () => {
    await check([['user1', 'newer', 101]], 'newer');
    const order = engine.calls.filter((call) => /^(begin|end|push user1|state live)/.test(call));
    expect(order).toEqual(['begin 2 @100', 'end', 'push user1 newer @101', 'state live']);
  });

  test('a buffer that overflows starts the reading anew', async () => {
    let rounds = 0;
    chain.beforeUsers = async () => {
      rounds += 1;
      if (rounds > 1) return;
      for (let index = 0; index < 4; index += 1) chain.notify('user1', `n${index}`, 101 + index);
      await until('they arrived', () => feed.stats().notifications >= 4);
      chain.accounts.set('user1', 'n3');
    };
    await start({ replayUpdatesMax: 3 });
    expect(feed.stats()).toMatchObject({ rebuilds: 2, rebuildFailures: 1 });
    expect(user('user1')).toBe('n3');
  });
});

describe('feed: live', () => {
  test('a lower slot on the same socket is a revert and is applied', async () => {
    await start();
    chain.notify('user1', 'new', 110);
    await untilUser('user1', 'new');
    chain.notify('user1', 'reverted', 105);
    await untilUser('user1', 'reverted');
  });

  test('a slot alone makes a turn', async () => {
    await start();
    const before = engine.turns.length;
    chain.tick(321);
    await until('a turn', () => engine.turns.length > before);
    expect(engine.slot).toBe(321);
  });

  test('a closed account is closed in the engine', async () => {
    await start();
    chain.notify('user2', '', 101);
    await untilUser('user2', undefined);
    expect(engine.calls).toContain('close user2 @101');
  });

  test('a new market is found with its oracle, without a restart', async () => {
    await start();
    chain.accounts.set('oracle1', 'o1');
    chain.change('perp1', 'market:oracle1');
    await until('the oracle was read', () => user('oracle1') === 'o1');
    chain.change('oracle1', 'o1 moved');
    await untilUser('oracle1', 'o1 moved');
  });

  test('a market that changes its oracle leaves the old one', async () => {
    await start();
    chain.accounts.set('oracle9', 'o9');
    chain.change('perp0', 'market:oracle9');
    await until('the new one was read', () => user('oracle9') === 'o9');
    await until(
      'the old one is left',
      () => !server.subscriptions.some(({ params }) => params[0] === 'oracle0'),
    );
  });

  test('a silent Clock is read again with the oracles', async () => {
    await start();
    chain.slot += 1;
    chain.accounts.set(CLOCK_KEY, clockData(2_000));
    chain.accounts.set('oracle0', 'unnotified');
    await untilUser('oracle0', 'unnotified');
    await until('the time was read', () => engine.unixSeconds >= 2_000);
    expect(feed.stats().clockPolls).toBeGreaterThan(0);
  });

  test('a Clock that notifies is followed', async () => {
    await start();
    chain.notify(CLOCK_KEY, clockData(3_000), 101);
    await until('the time was read', () => engine.unixSeconds >= 3_000);
  });

  test('a notification of no account is counted', async () => {
    await start();
    server.notify(({ method }) => method === 'programSubscribe', { context: {}, value: 3 });
    await until('all were counted', () => feed.stats().malformedNotifications === 4);
    expect(engine.state).toBe('live');
  });

  test('problems are logged once each', async () => {
    const warned: string[] = [];
    const log = {
      info: () => undefined,
      warn: (_: object, message: string) => void warned.push(message),
    };
    engine.problems.push({ pubkey: 'user1', code: 'WRONG_LENGTH', message: 'length was 3' });
    await start({ log });
    await notifiedAll();
    expect(warned.filter((message) => message === 'an account is left out')).toHaveLength(1);
  });
});

describe('feed: trouble', () => {
  test('after a cut the book is rebuilding, then equals the chain again', async () => {
    await start();
    server.cut();
    await until('rebuilding', () => engine.state === 'rebuilding');
    expect(feed.status()).toMatchObject({ everLive: true, state: 'rebuilding' });
    chain.slot += 10;
    chain.accounts.set('user1', 'changed unseen');
    chain.accounts.delete('user2');
    await until('live again', () => engine.state === 'live');
    expect([user('user1'), user('user2')]).toEqual(['changed unseen', undefined]);
    expect(server.subscriptions).toHaveLength(7);
  });

  test('a market that vanished while the socket was cut is closed', async () => {
    await start();
    server.cut();
    chain.accounts.delete('perp0');
    await until('rebuilding', () => engine.state === 'rebuilding');
    await until('live again', () => engine.state === 'live');
    expect(engine.calls).toContain('close perp0 @100');
  });

  test('a cut in the middle of the reading leaves nothing of it behind', async () => {
    let cuts = 2;
    chain.beforeUsers = async () => {
      if (cuts === 0) return;
      cuts -= 1;
      const closes = socket.stats.closes + 1;
      server.cut();
      await until('the cut was noticed', () => socket.stats.closes === closes);
    };
    await start();
    expect(server.upgrades).toBe(3);
    expect(engine.calls.filter((call) => call === 'end')).toHaveLength(1);
  });

  test('an unreadable message makes the feed read everything again', async () => {
    await start();
    chain.slot += 1;
    chain.accounts.set('user1', 'in the lost message');
    server.sendText('{"jsonrpc":"2.0","method":"programNotif');
    await until('rebuilding', () => engine.state === 'rebuilding');
    await until('live again', () => engine.state === 'live', 10_000);
    expect(user('user1')).toBe('in the lost message');
    expect(server.upgrades).toBe(1);
  });

  test('a shrunken reading counts only when a second one agrees', async () => {
    for (let index = 0; index < 98; index += 1) chain.accounts.set(`user-${index}`, 'x');
    await start();
    const all = [...chain.accounts];
    let shrunken = true;
    server.answer('getProgramAccounts', (params) => {
      const reply = chain.program(kindOf(params));
      if (kindOf(params) !== 'user' || !shrunken) return reply;
      shrunken = false;
      return { result: { context: { slot: chain.slot }, value: [] } };
    });
    server.cut();
    await until('rebuilding', () => engine.state === 'rebuilding');
    await until('live again', () => engine.state === 'live');
    expect(engine.accounts.size).toBe(all.length - 1);
    expect(engine.calls).not.toContain('begin 0 @100');
  });

  test('a shrunken reading that is confirmed is taken', async () => {
    for (let index = 0; index < 98; index += 1) chain.accounts.set(`user-${index}`, 'x');
    await start();
    for (let index = 0; index < 98; index += 1) chain.accounts.delete(`user-${index}`);
    server.cut();
    await until('rebuilding', () => engine.state === 'rebuilding');
    await until('live again', () => engine.state === 'live');
    expect(engine.calls).toContain('begin 2 @100');
  });

  test('another genesis hash is told', async () => {
    const hashes: string[] = [];
    await start({ onGenesisChanged: (hash) => hashes.push(hash) });
    server.cut();
    chain.genesisHash = 'other';
    chain.slot = 5;
    await until('rebuilding', () => engine.state === 'rebuilding');
    await until('live again', () => engine.state === 'live');
    expect(hashes).toEqual(['other']);
  });

  test('missing slots make the book lagging, then stale, and a slot makes it live', async () => {
    const live = start({ timing: { laggingAfterMs: 300, staleAfterMs: 600 } });
    await live;
    await until('stale', () => engine.state === 'stale');
    expect(feed.status().reason).toMatch(/^no slot for \d+ ms$/);
    chain.tick(101);
    await until('live', () => engine.state === 'live');
    const states = engine.calls.filter((call) => call.startsWith('state '));
    expect(states).toEqual([
      'state rebuilding',
      'state live',
      'state lagging',
      'state stale',
      'state live',
    ]);
  });

  test('after stop nothing reaches the engine', async () => {
    await start();
    feed.stop();
    const before = engine.calls.length;
    const turns = engine.turns.length;
    await until('the socket is gone', () => socket.stats.closes === 1);
    expect([engine.calls.length, engine.turns.length]).toEqual([before, turns]);
  });
});
