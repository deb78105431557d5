import { beforeEach, describe, expect, test } from 'vitest';
import { ABORTED_SCAN, clockData, FakeChain, OTHER_GENESIS_HASH } from '../../test/fake-chain.js';
import { bench, second, secondChain, startWithBoth, useTwoNodes } from '../../test/feed-bench.js';
import { ScriptedRpc } from '../../test/scripted-rpc.js';
import { until } from '../../test/support/until.js';
import { CLOCK_KEY } from './model/queries.js';

useTwoNodes();

const hostOf = ({ rpcUrl }: ScriptedRpc): string => new URL(rpcUrl).host;

/** Waits for a live book of the second node. */
async function untilTakenOver(): Promise<void> {
  await bench.untilLiveAgain();
  expect(bench.feed.stats().node).toBe(hostOf(second));
}

describe('fail-over: the second node takes over', () => {
  beforeEach(() => {
    secondChain.slot = 105;
    secondChain.accounts.set('user1', 'as the second node has it');
  });

  test('when a scan of the first fails twice', async () => {
    bench.chain.answerUsers(() => ABORTED_SCAN);
    await startWithBoth();
    expect(bench.feed.stats()).toMatchObject({ node: hostOf(second), rebuildFailures: 2 });
  });

  test('when the first refuses a subscribe', async () => {
    bench.server.onSubscribe = () => ({ error: { code: -32601, message: 'no such method' } });
    await startWithBoth();
    expect(bench.feed.stats().node).toBe(hostOf(second));
  });

  test('and socket and client are of the same node from then on', async () => {
    await startWithBoth();
    const subscribed = bench.server.upgrades;
    bench.server.refuseUpgradeWith = 503;
    bench.server.cut();
    await untilTakenOver();
    const asked = bench.server.requests.length;
    secondChain.accounts.set('oracle1', 'o1');
    secondChain.change('perp1', 'market:oracle1');
    await until('its oracle was read', () => bench.user('oracle1') === 'o1');
    expect(bench.server.requests).toHaveLength(asked);
    // One more try of the first before the second was asked.
    expect(bench.server.upgrades).toBe(subscribed + 1);
    expect(bench.server.subscriptions).toEqual([]);
  });
});

describe('fail-over: a second node that is behind', () => {
  test('is called lagging until it stands where the first stood', async () => {
    const liveSlots: number[] = [];
    await startWithBoth({
      timing: { laggingAfterMs: 2_500, staleAfterMs: 5_000 },
      onTurn: () => {
        if (bench.engine.state === 'live') liveSlots.push(bench.engine.slot);
      },
    });
    secondChain.slot = 93;
    secondChain.accounts.set(CLOCK_KEY, clockData(997));
    await bench.server.stop();
    await until('lagging', () => bench.engine.state === 'lagging');
    expect(bench.feed.status().reason).toBe('the node is 7 slots behind the one before');
    expect(bench.feed.stats().slotLag).toBe(7);
    secondChain.tick(100);
    await until('live', () => bench.engine.state === 'live');
    expect(liveSlots.every((slot) => slot === 100)).toBe(true);
  });
});

describe('fail-over: a second node of another chain', () => {
  test('is refused, named, and nothing of it reaches the book', async () => {
    const hashes: string[] = [];
    const lines: string[] = [];
    const log = {
      info: () => undefined,
      warn: (_: object, message: string) => void lines.push(message),
    };
    secondChain.genesisHash = OTHER_GENESIS_HASH;
    secondChain.accounts.set('user1', 'of another chain');
    await startWithBoth({ onGenesisChanged: (hash) => hashes.push(hash), log });
    const { port } = bench.server;
    await bench.server.stop();
    await until('refused three times', () => second.upgrades >= 3);
    expect(bench.feed.status().state).toBe('rebuilding');
    expect(lines.filter((line) => line === 'the connection is given up')).toHaveLength(1);
    const returned = await ScriptedRpc.start(port);
    new FakeChain(returned).accounts.set('user2', 'after the return');
    await until('live again', () => bench.engine.state === 'live');
    await returned.stop();
    expect([bench.user('user1'), bench.user('user2')]).toEqual(['a', 'after the return']);
    expect(hashes).toEqual([]);
    expect(second.count('getProgramAccounts')).toBe(0);
  });
});

describe('one node', () => {
  test('that answers pings but tells no slot is connected to anew', async () => {
    await bench.start({
      timing: { laggingAfterMs: 2_500, staleAfterMs: 5_000 },
    });
    bench.chain.accounts.set('user1', 'told to a dead subscription');
    await bench.untilUser('user1', 'told to a dead subscription');
    expect(bench.feed.stats()).toMatchObject({ failovers: 0, rebuilds: 2 });
    expect(bench.server.upgrades).toBe(2);
  });
});
