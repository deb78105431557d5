/**
 * A whole service on virtual time in one process: "given this chain, these faults and so much time, then these bodies,
 * frames and states".
 */
import type { Flags } from '../../src/config/setting-reader.js';
import type { ProgramName } from '../../src/contract/program.js';
import { Random } from '../../src/sim/random.js';
import { currentMachine } from '../simulation/globals.js';
import { useGrpcHosts } from '../simulation/grpc-network.js';
import { lifeOf, type MarketLife } from '../simulation/market-life.js';
import { ModelChain } from '../simulation/model-chain.js';
import { ModelGrpc } from '../simulation/model-grpc.js';
import { ModelLedger } from '../simulation/model-ledger.js';
import { ModelNode } from '../simulation/model-node.js';
import { useHosts } from '../simulation/network.js';
import { ModelClient } from '../support/model-client.js';
import { ServiceProbe } from '../support/service-probe.js';
import { setTimeout as sleep } from './timers-promises.js';

/** What a world is made of; the same options and calls give the same run. */
export interface WorldOptions {
  readonly seed?: number;
  /** Nodes by RPC, the first of which the service follows; 1 by default. */
  readonly nodes?: 1 | 2;
  /** gRPC servers; 0 by default. */
  readonly servers?: number;
  /** The program of the chain; Drift v2 by default. */
  readonly program?: ProgramName;
  /** Of the chain; a small one of the program by default. */
  readonly life?: MarketLife;
  /** Settings of the service beside those of its nodes. */
  readonly flags?: Flags;
}

/** A chain with its nodes, and the service that reads them. */
export class World {
  readonly #clients: ModelClient[] = [];

  private constructor(
    public chain: ModelChain,
    public nodes: readonly ModelNode[],
    public ledger: ModelLedger,
    readonly servers: readonly ModelGrpc[],
    readonly service: ServiceProbe,
  ) {}

  /** Starts the chain and the service; the book is live. */
  static async start(options: WorldOptions = {}): Promise<World> {
    const { seed = 1, nodes: count = 1, servers: serverCount = 0 } = options;
    const { program = 'drift', flags = {} } = options;
    const { life = lifeOf(0, program) } = options;
    const { chain, nodes, ledger } = startChain({ life, seed, count });
    const servers = Array.from({ length: serverCount }, (_, index) => {
      return new ModelGrpc({ name: `server-${index}`, chain, seed: seed * 37 + index });
    });
    useGrpcHosts(new Map(servers.map((server) => [server.name, server])));
    const fallback = { fallbackRpcUrl: 'http://node-1', fallbackWsUrl: 'ws://node-1' };
    const settings = { program, ...(count === 2 ? fallback : {}), ...flags };
    const urls = { rpcUrl: 'http://node-0', wsUrl: 'ws://node-0' };
    return new World(chain, nodes, ledger, servers, await ServiceProbe.start(urls, settings));
  }

  /** Lets time pass, in milliseconds. */
  async run(byMs: number): Promise<void> {
    await sleep(byMs);
  }

  /** A client on a WebSocket of its own, which checks every frame. */
  async connect(): Promise<ModelClient> {
    const client = await ModelClient.open(`${this.service.url.replace('http', 'ws')}/ws`);
    this.#clients.push(client);
    return client;
  }

  /** Another chain takes the place of this one behind the same nodes: what a restarted test chain is. */
  replaceChain(seed: number): void {
    for (const node of this.nodes) node.cutConnections();
    const started = startChain({
      life: lifeOf(seed, this.chain.program),
      seed,
      count: this.nodes.length,
    });
    this.chain = started.chain;
    this.nodes = started.nodes;
    this.ledger = started.ledger;
  }

  /** Closes the clients, stops the service and the chain. */
  async stop(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.service.stop();
    this.chain.stop();
  }
}

/** A chain whose slots pass, and the nodes by which it is reached. */
export function startChain(options: {
  readonly life: MarketLife;
  readonly seed: number;
  readonly count: number;
}) {
  const { life, seed, count } = options;
  const { time } = currentMachine();
  const chain = new ModelChain({ time, life, seed });
  const ledger = new ModelLedger(chain, new Random(seed + 1));
  const nodes = Array.from({ length: count }, (_, index) => {
    return new ModelNode({ name: `node-${index}`, chain, ledger, seed: seed * 31 + index });
  });
  useHosts(new Map(nodes.map((node) => [node.name, node])));
  chain.listen({
    handleState: () => undefined,
    handleSlot: (_slot, ended) => {
      for (const fill of ledger.endSlot(ended, time.nowMs)) {
        for (const node of nodes) node.handleFill(fill);
      }
      for (const write of ledger.confirmWrites(ended)) {
        for (const node of nodes) node.handleWriteLog(write);
      }
    },
  });
  chain.start();
  return { chain, nodes, ledger };
}

/** Starts a world. */
export function world(options?: WorldOptions): Promise<World> {
  return World.start(options);
}
