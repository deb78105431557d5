import { beforeEach, describe, expect, test } from 'vitest';
import { kindOf } from '../../../test/fake-chain.js';
import { bench, useFeedBench } from '../../../test/feed-bench.js';
import { until } from '../../../test/support/until.js';
import { silentLog } from '../../rpc/log.js';
import { IMPOSSIBLE_READS, SHRUNKEN_READS } from '../model/limits.js';

/** Users of the chain. */
const USERS = 100;

useFeedBench();
beforeEach(() => {
  for (let index = 3; index <= USERS; index += 1) bench.chain.accounts.set(`user${index}`, 'x');
});

/** The numbers of users in successive scans; the last number repeats. */
function scansGive(...counts: readonly number[]): void {
  bench.chain.answerUsers((scan) => {
    const count = counts[Math.min(scan, counts.length) - 1];
    return bench.chain.scanOf(bench.chain.rows('user').slice(0, count));
  });
}

/** Scans of markets and State hold none of them. */
function hideMarkets(): void {
  bench.server.answer('getProgramAccounts', (params) => {
    return kindOf(params) === 'user' ? bench.chain.program('user') : bench.chain.scanOf([]);
  });
}

function showMarkets(): void {
  bench.server.answer('getProgramAccounts', (params) => bench.chain.program(kindOf(params)));
}

function scans(): number {
  const asked = bench.server.requests.filter(({ method }) => method === 'getProgramAccounts');
  return asked.filter(({ params }) => kindOf(params) === 'user').length;
}

const usersHeld = (): number =>
  [...bench.engine.accounts.keys()].filter((key) => key.startsWith('user')).length;

/** Starts the feed and waits until it has rejected a book twice; it is live in the end. */
async function refusedTwice(): Promise<{ readonly live: Promise<void> }> {
  const live = bench.start();
  await until('it was refused twice', () => bench.feed.stats().rebuildFailures >= 2);
  expect(bench.feed.status()).toMatchObject({ everLive: false, state: 'starting' });
  return { live };
}

describe('completeness: the first scan', () => {
  test('as many positions as the markets count: it is believed at once', async () => {
    bench.engine.census = { subAccounts: 500, positions: USERS };
    await bench.start();
    expect([scans(), usersHeld()]).toEqual([1, USERS]);
  });

  test('without users, and State counts some: never', async () => {
    bench.engine.census = { subAccounts: 500, positions: 0 };
    scansGive(0);
    const { live } = await refusedTwice();
    expect(bench.feed.status().reason).toContain('the scan had 0 users, State counts 500');
    scansGive(USERS);
    await live;
    expect(usersHeld()).toBe(USERS);
  });

  test('a tenth of the positions, in every scan there is: after four refusals, when five agree', async () => {
    bench.engine.census = { positions: USERS };
    scansGive(USERS / 10);
    await bench.start();
    expect(bench.feed.stats().rebuildFailures).toBe(IMPOSSIBLE_READS);
    expect([scans(), usersHeld()]).toEqual([IMPOSSIBLE_READS + SHRUNKEN_READS, USERS / 10]);
  });

  test('a tenth of the positions that the markets count: not while they may be all', async () => {
    bench.engine.census = { positions: USERS };
    scansGive(USERS / 10);
    const { live } = await refusedTwice();
    expect(bench.feed.status().reason).toContain(
      'the scan had 10 positions, the markets count 100',
    );
    scansGive(USERS);
    await live;
    expect(usersHeld()).toBe(USERS);
  });

  test('most of the positions: when five scans agree', async () => {
    bench.engine.census = { positions: USERS };
    scansGive(80);
    await bench.start();
    expect([scans(), usersHeld()]).toEqual([5, 80]);
  });

  test('the markets count no positions: a second scan has to agree', async () => {
    bench.engine.census = { positions: 0 };
    scansGive(10, USERS);
    await bench.start();
    expect(bench.feed.stats().rebuildFailures).toBe(1);
    expect([scans(), usersHeld()]).toEqual([4, USERS]);
  });

  test('a new exchange has no users, and its State says so', async () => {
    bench.engine.census = { subAccounts: 0, positions: 0 };
    scansGive(0);
    await bench.start();
    expect([scans(), usersHeld()]).toEqual([1, 0]);
    expect(bench.engine.state).toBe('live');
  });
});

describe('completeness: the markets', () => {
  test('a scan without any, of a chain that had some: never', async () => {
    await bench.start();
    hideMarkets();
    bench.server.cut();
    // More scans than the confirmation of a smaller one takes.
    await until('it was refused', () => bench.feed.stats().rebuildFailures > SHRUNKEN_READS);
    expect(bench.engine.state).toBe('rebuilding');
    expect(bench.feed.status().reason).toContain('STATE_MISSING');
    expect(bench.engine.accounts.has('perp0')).toBe(true);
    showMarkets();
    await bench.untilLiveAgain();
  });
});

describe('completeness: the State account', () => {
  test('of another program, which has no account at all: never, and a line says what is missing', async () => {
    for (const key of ['state', 'perp0', 'user1', 'user2']) bench.chain.accounts.delete(key);
    bench.engine.census = { subAccounts: 0, positions: 0 };
    const lines: string[] = [];
    const log = {
      ...silentLog,
      warn: (fields: object, text: string) => void lines.push(`${text} ${JSON.stringify(fields)}`),
    };
    const live = bench.start({ log });
    await until('it was refused', () => bench.feed.stats().rebuildFailures > SHRUNKEN_READS);
    expect(bench.feed.status()).toMatchObject({ everLive: false, state: 'starting' });
    expect(bench.feed.status().reason).toContain('the node has no State account of the program');
    expect(lines.filter((line) => line.includes('STATE_MISSING'))).toHaveLength(1);
    bench.chain.accounts.set('state', 's');
    await live;
  });

  test('a live book whose State account is gone is read again, and is not live before it is back', async () => {
    await bench.start({ probeIntervalMs: 20, auditIntervalMs: 0 });
    bench.chain.accounts.delete('state');
    await until('it is not live', () => {
      bench.nextSlot();
      return bench.engine.state === 'rebuilding' && bench.feed.stats().rebuildFailures > 0;
    });
    bench.chain.accounts.set('state', 's');
    const slots = setInterval(() => bench.nextSlot(), 20);
    await bench.untilLiveAgain().finally(() => clearInterval(slots));
  });
});

describe('completeness: malformed accounts', () => {
  const few = { accounts: USERS, quarantined: 5 };
  const many = { accounts: USERS, quarantined: 6 };

  test('with more than 5 % of them no book is live', async () => {
    bench.engine.census = { ...many };
    const { live } = await refusedTwice();
    expect(bench.feed.status().reason).toContain('6 of 100 accounts were malformed');
    bench.engine.census = { ...few };
    await live;
    expect(bench.feed.status()).toMatchObject({ state: 'live', reason: null });
  });

  test('a live book with more than 5 % of them is so no longer, and is read again', async () => {
    bench.engine.census = { ...few };
    await bench.start();
    bench.engine.census = { ...many };
    await until('it is not live', () => bench.engine.state === 'rebuilding');
    await until('it was refused', () => bench.feed.stats().rebuildFailures > 0);
    bench.engine.census = { ...few };
    await bench.untilLiveAgain();
    expect(bench.feed.stats().resyncs).toBe(1);
  });
});
