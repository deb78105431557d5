/** A log that three NATS servers keep, of which one after the other is killed, its leader first: one writer, no hole, and the same book. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { connectLog } from '../../src/journal/nats/connect.js';
import { CorePair } from '../support/core-pair.js';
import { LogAudit } from '../support/log-audit.js';
import { NatsServer, natsMissing } from '../support/nats-server.js';
import { ServiceChild } from '../support/service-child.js';
import { Reader, statusOf } from '../support/standby-scene.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

const STREAM = 'copied';
/** `npm run test:long -- log-cluster` kills twelve. */
const KILLS = Number(process.env['CLUSTER_KILLS'] ?? 2);
const TIMEOUT = { timeout: 300_000 + KILLS * 120_000 };

const ends: (() => Promise<unknown>)[] = [];
const running: ServiceChild[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(async () => {
  for (const service of running) await service.kill();
});

async function keep(starting: Promise<ServiceChild>): Promise<ServiceChild> {
  const service = await starting;
  running.push(service);
  return service;
}

/** The servers that are to be killed in turn: the leader of the stream, then those that follow it. */
class Cluster {
  readonly servers: readonly NatsServer[];
  #killed = 0;

  private constructor(servers: readonly NatsServer[]) {
    this.servers = servers;
  }

  static async start(): Promise<Cluster> {
    const cluster = new Cluster(await NatsServer.startCluster());
    for (const server of cluster.servers) ends.push(() => server.stop());
    await cluster.#whenWhole(async () => true);
    return cluster;
  }

  get urls(): readonly string[] {
    return this.servers.map(({ url }) => url);
  }

  get flags(): readonly string[] {
    return ['--nats', this.urls.join(), '--nats-stream', STREAM];
  }

  /** Kills the leader of the stream, or in the next turn another one; returns it. */
  async killNext(): Promise<NatsServer> {
    const leader = Number(
      await until('a leader', async () => {
        const info = await this.#readStream().catch(() => undefined);
        return info?.cluster?.leader;
      }),
    );
    const server = this.servers[(leader + this.#killed) % this.servers.length];
    this.#killed += 1;
    if (server === undefined) throw new Error(`the leader of the stream was ${leader}`);
    await server.kill();
    return server;
  }

  /** Waits until all copies of the log are there. */
  async whenCopied(): Promise<void> {
    await this.#whenWhole(async () => {
      const replicas = (await this.#readStream())?.cluster?.replicas ?? [];
      return replicas.length === 2 && replicas.every(({ current, offline }) => current && !offline);
    });
  }

  async #whenWhole(isWhole: () => Promise<boolean>): Promise<void> {
    await until('a cluster', async () => {
      try {
        return (await this.#ask((manager) => manager.getAccountInfo())) && (await isWhole());
      } catch {
        // It elects a leader.
        return false;
      }
    });
  }

  #readStream() {
    return this.#ask((manager) => manager.streams.info(STREAM));
  }

  async #ask<T>(
    question: (manager: Awaited<ReturnType<typeof connectLog>>['manager']) => Promise<T>,
  ): Promise<T> {
    const { nats, manager } = await connectLog({ servers: this.urls, stream: STREAM }, 'a test');
    try {
      return await question(manager);
    } finally {
      await nats.close();
    }
  }
}

test(
  'a log outlives each of its three servers: one epoch, one writer, no hole',
  TIMEOUT,
  async ({ skip }) => {
    skip(natsMissing !== undefined, natsMissing);
    const cluster = await Cluster.start();
    const demo = await SteppedDemo.start({ seed: 25, makers: 6, slotTimeMs: 100 });
    ends.push(() => demo.stop());
    const copies = [...cluster.flags, '--nats-replicas', '3'];
    const pair = await CorePair.start((start) => keep(start(demo.relay, copies)));
    const edge = await keep(ServiceChild.edge([...cluster.flags, '--away-after-ms', '120000']));
    const { epoch } = await statusOf(edge);
    const { follower } = await Reader.start(edge);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const server = await cluster.killNext();
      const { delta } = follower.tally.frames;
      await until('a change', async () => {
        await demo.step(2);
        return follower.tally.frames.delta > delta;
      });
      await server.startAgain();
      await cluster.whenCopied();
      await pair.settle();
    }
    const audit = new LogAudit({ servers: cluster.urls, stream: STREAM });
    await audit.readMore();
    expect(audit.faults).toEqual([]);
    const { broken, resets, reconnects, messages, frames } = follower.tally;
    const found = { broken, resets, reconnects, messages, snapshots: frames.snapshot };
    expect(found).toEqual({ broken: 0, resets: 0, reconnects: 0, messages: [], snapshots: 1 });
    expect((await edge.get('/metrics')).text).toContain('event="logRestores"} 1');
    await until('the epoch of before, and a live book', async () => {
      const { state, epoch: now } = await statusOf(edge);
      return state === 'live' && now === epoch;
    });
  },
);
