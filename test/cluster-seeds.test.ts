/** A core, its standby and two edges over three minutes of faults from a seed: an edge that says `live` is right. */
import { expect, test } from 'vitest';
import { Random } from '../src/sim/random.js';
import { Blindness } from './simulation/blindness.js';
import { BookTruth } from './simulation/book-truth.js';
import { randomFaults } from './simulation/fault-plan.js';
import { currentMachine } from './simulation/globals.js';
import { lifeOf } from './simulation/market-life.js';
import type { ModelNode } from './simulation/model-node.js';
import { playFault } from './simulation/play-fault.js';
import { ClusterMember } from './support/model-cluster.js';
import { NatsServer } from './support/nats-server.js';
import { until } from './support/until.js';
import { inFreshWorld } from './world/drive.js';
import { setTimeout as sleep } from './world/timers-promises.js';
import { startChain } from './world/world.js';

/** `npm run test:long -- cluster-seeds` runs more of them. */
const SEEDS = Number(process.env['CLUSTER_SEEDS'] ?? 1);
const FROM = Number(process.env['CLUSTER_FROM'] ?? 1);
const SHAPE = { nodes: 2, hasScanNode: false, hasHistory: false, merged: null } as const;
const LIVES = 4;
const RUN_MS = 190_000;
/** All faults are over by then. */
const LAST_MS = 150_000;
const CHECK_MS = 800;
/** Between two faults of programs, each of which is over before the next one. */
const SPACING_MS = [20_000, 45_000] as const;
const AWAY_MS = [200, 12_000] as const;
/** A program that was stopped has by then what arrived meanwhile. */
const RESUMED_MS = 1_500;
const NODES = {
  ...{ rpcUrl: 'http://node-0', wsUrl: 'ws://node-0' },
  ...{ fallbackRpcUrl: 'http://node-1', fallbackWsUrl: 'ws://node-1' },
};

interface Edge {
  member: ClusterMember;
  readonly truth: BookTruth;
  pausedUntilMs: number;
}

class ClusterRun {
  readonly #time = currentMachine().time;
  readonly #random: Random;
  readonly #violations: string[] = [];
  readonly #model: ReturnType<typeof startChain>;
  readonly #blindness: Blindness;
  readonly #victims = new Map<number, ModelNode>();
  readonly #cores: ClusterMember[] = [];
  readonly #edges: readonly Edge[];
  #cutOffUntilMs = 0;

  constructor(
    readonly seed: number,
    readonly nats: NatsServer,
  ) {
    this.#random = new Random(seed);
    const life = lifeOf(seed % LIVES);
    this.#model = startChain({ life, seed, count: SHAPE.nodes });
    const { chain, nodes } = this.#model;
    this.#blindness = new Blindness(nodes);
    this.#edges = [0, 1].map(() => {
      const truth = new BookTruth(chain, life);
      return { truth, member: this.#start('edge'), pausedUntilMs: 0 };
    });
    const recordMoment = (): void => {
      for (const { truth } of this.#edges) truth.recordMoment(this.#time.nowMs);
    };
    recordMoment();
    chain.listen({
      handleState: (state) => this.#edges.forEach(({ truth }) => void truth.recordState(state)),
      handleFork: recordMoment,
      handleSlot: () => void this.#time.plan(0, recordMoment),
    });
  }

  async play(): Promise<readonly string[]> {
    this.#cores.push(this.#start('core'));
    await until('live edges', () => this.#edges.every(({ member }) => member.state === 'live'));
    this.#cores.push(this.#start('core'));
    this.#planFaults();
    for (const endMs = this.#time.nowMs + RUN_MS; this.#time.nowMs < endMs; ) {
      await sleep(CHECK_MS);
      for (const edge of this.#edges) this.#check(edge);
      for (const [at, core] of this.#cores.entries()) if (core.ended !== null) this.#replace(at, 0);
    }
    for (const { member, truth } of this.#edges) {
      const isRight = member.engine !== null && truth.isRight(member.engine);
      if (member.state !== 'live' || !isRight) this.#violate(`in the end: ${member.state}`);
    }
    return this.#violations;
  }

  #start(role: 'core' | 'edge'): ClusterMember {
    return new ClusterMember(role, { nats: this.nats.url, ...(role === 'core' ? NODES : {}) });
  }

  #planFaults(): void {
    const { chain, nodes } = this.#model;
    // What faults of a node do to the service, they do to a core.
    const machine = {
      pauseService: (ms: number) => this.#pauseCore(ms),
      restartService: (ms: number) => this.#replace(this.#random.nextBelow(2), ms),
      setWallError: () => undefined,
      failDisk: () => undefined,
      crashWorker: () => undefined,
    };
    const faults = randomFaults(this.#random, SHAPE, new Random(this.seed + 4));
    for (const fault of faults.filter(({ atMs, lastsMs }) => atMs + lastsMs < LAST_MS))
      this.#time.plan(fault.atMs, () => {
        const inUse = nodes.find((node) => node.isInUse) ?? nodes[0];
        const other = nodes.find((node) => node !== inUse);
        const chosen = (fault.victim === 'inUse' ? inUse : other) as ModelNode;
        const node = this.#victims.get(fault.episode) ?? chosen;
        this.#victims.set(fault.episode, node);
        const target = { chain, node, machine, readers: [], random: this.#random };
        playFault({ ...fault, target });
      });
    for (let atMs = this.#between(SPACING_MS); atMs < LAST_MS; atMs += this.#between(SPACING_MS))
      this.#time.plan(atMs, () => this.#harmProgram(this.#between(AWAY_MS)));
  }

  #harmProgram(ms: number): void {
    const edge = this.#random.pickOne(this.#edges) as Edge;
    const harms = [
      () => this.#replace(this.#random.nextBelow(2), ms),
      () => this.#pauseCore(ms),
      () => {
        edge.member.kill();
        edge.member = this.#start('edge');
      },
      () => {
        edge.member.pause(ms);
        edge.pausedUntilMs = this.#time.nowMs + ms + RESUMED_MS;
      },
      () => {
        this.#cutOff(ms);
        void this.nats.pause();
        this.#time.plan(ms, () => this.nats.resume());
      },
      () => {
        this.#cutOff(ms);
        void this.nats.kill();
        this.#time.plan(ms, () => void this.nats.startAgain());
      },
    ];
    this.#random.pickOne(harms)?.();
  }

  #between([min, max]: readonly [number, number]): number {
    return this.#random.nextBetween(min, max);
  }

  /** Nothing may reach the edges for so long. */
  #cutOff(ms: number): void {
    this.#cutOffUntilMs = Math.max(this.#cutOffUntilMs, this.#time.nowMs + ms);
  }

  #pauseCore(ms: number): void {
    this.#cutOff(ms);
    this.#random.pickOne(this.#cores)?.pause(ms);
  }

  /** A core ends, and a supervisor starts another one after a while: it stands by. */
  #replace(at: number, downMs: number): void {
    this.#cutOff(downMs);
    const core = this.#cores[at];
    core?.kill();
    this.#time.plan(downMs, () => {
      if (this.#cores[at] === core) this.#cores[at] = this.#start('core');
    });
  }

  #check({ member, truth, pausedUntilMs }: Edge): void {
    const { nowMs } = this.#time;
    const blindMs = this.#blindness.readMs(nowMs, nowMs < this.#cutOffUntilMs);
    if (member.ended !== null) this.#violate(`an edge ended: ${member.ended}`);
    const { engine, state } = member;
    if (engine === null || state !== 'live' || nowMs < pausedUntilMs) {
      truth.forgetWrong();
      return;
    }
    const wrong = truth.findWrong(engine, { nowMs, blindMs });
    if (wrong !== null) this.#violate(wrong);
  }

  #violate(text: string): void {
    if (this.#violations.length < 5) this.#violations.push(`at ${this.#time.nowMs}: ${text}`);
  }
}

test.each(Array.from({ length: SEEDS }, (_, index) => FROM + index))(
  'a cluster of seed %i: no order of a live edge is wrong for two seconds',
  { timeout: 3_600_000 },
  async (seed) => {
    const run = async () => new ClusterRun(seed, await NatsServer.start()).play();
    expect(await inFreshWorld(run)).toEqual([]);
  },
);
