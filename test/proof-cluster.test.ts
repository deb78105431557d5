/** The signed log of a cluster: one log over all its cores, proven by readers of its edges. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type SocketClass, StreamClient } from '../src/client/index.js';
import { lifeOf } from './simulation/market-life.js';
import { ClusterMember } from './support/model-cluster.js';
import { NatsServer } from './support/nats-server.js';
import { SignedServices } from './support/signed-services.js';
import { until } from './support/until.js';
import { startChain } from './world/world.js';

const NODE = { rpcUrl: 'http://node-0', wsUrl: 'ws://node-0' };

/** A cluster whose cores have one key. */
class SignedCluster extends SignedServices {
  readonly #members: ClusterMember[] = [];

  constructor(readonly nats: NatsServer) {
    super();
    startChain({ life: lifeOf(0), seed: 1, count: 1 });
    onTestFinished(() => {
      for (const member of this.#members) member.kill();
    });
  }

  start(role: 'core' | 'edge', name: string): ClusterMember {
    const flags = { nats: this.nats.url, logKey: 'secret', ...this.settingsOf(role, name) };
    const member = new ClusterMember(role, { ...flags, ...(role === 'core' ? NODE : {}) });
    this.#members.push(member);
    return member;
  }

  /** The leaves that a core's key has signed. */
  signedBy(name: string): number {
    const file = path.join(this.folder, name, 'key.signed');
    return existsSync(file) ? this.sizeOf(readFileSync(file, 'utf8')) : 0;
  }

  /** Waits until an edge serves so many leaves; returns their number. */
  leavesOf(edge: ClusterMember, size: number): Promise<number> {
    return until(`${size} leaves`, async () => {
      await sleep(500);
      if (edge.ended !== null) throw new Error(edge.ended);
      if (edge.url === '') return 0;
      const found = this.sizeOf(await (await fetch(`${edge.url}/log/checkpoint`)).text());
      return found >= size ? found : 0;
    });
  }

  async prove({ url }: ClusterMember) {
    const markets = (await (await fetch(`${url}/markets`)).json()) as { symbol: string }[];
    const market = markets[0]?.symbol ?? '';
    const socket = WebSocket as unknown as SocketClass;
    const client = new StreamClient({ url, encoding: 'json', WebSocket: socket });
    onTestFinished(() => client.close());
    const { verifierKey: prove } = this.signer;
    return client.subscribe({ channel: 'l3', market, depth: 500 }, { prove });
  }
}

const GROWN = [true, expect.stringMatching(/new, signed and grown$/)];

test('a cluster has one log, whoever of its cores continues it, and its readers prove their books', async () => {
  const cluster = new SignedCluster(await NatsServer.start());
  const first = cluster.start('core', 'first');
  const edge = cluster.start('edge', 'edge');
  await cluster.leavesOf(edge, 5);
  expect(await cluster.verify(edge.url)).toEqual(GROWN);
  const subscription = await cluster.prove(edge);
  const isProven = (size: number) => (): boolean => {
    if (subscription.error !== undefined) throw subscription.error;
    return (subscription.proven?.size ?? 0) > size;
  };
  await until('a proof', isProven(0));
  const second = cluster.start('core', 'second');
  await sleep(4_000);
  first.kill();
  const before = cluster.signedBy('first');
  expect(cluster.signedBy('second')).toBe(0);
  const size = await cluster.leavesOf(edge, before + 3);
  expect(cluster.signedBy('second')).toBeGreaterThanOrEqual(size);
  await until('a proof of the next core', isProven(before));
  expect(await cluster.verify(edge.url)).toEqual(GROWN);
  // The last core is suspended, and comes back when another one continues the log.
  const third = cluster.start('core', 'third');
  await sleep(4_000);
  second.pause(15_000);
  const paused = cluster.signedBy('second');
  await cluster.leavesOf(edge, paused + 3);
  await until('the end of the second core', () => second.ended !== null);
  expect(second.ended).toMatch(/another core writes the log/);
  expect(cluster.signedBy('second')).toBeLessThanOrEqual(paused + 1);
  await until('a proof of the last core', isProven(paused + 3));
  expect(await cluster.verify(edge.url)).toEqual(GROWN);
  expect([third.ended, edge.ended]).toEqual([null, null]);
  // An edge without a file has the whole log.
  const late = cluster.start('edge', 'late');
  const whole = await cluster.leavesOf(late, paused + 3);
  rmSync(path.join(cluster.folder, 'kept'));
  expect((await cluster.verify(late.url))[1]).toMatch(
    new RegExp(`^log: (${whole}|${whole + 1}) leaves, \\1 of`),
  );
});
