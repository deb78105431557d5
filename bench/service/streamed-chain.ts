/**
 * A chain in memory with one RPC node and some gRPC servers, in a process of its own: those of the tests, or others that are fast. Its writes are
 * whole states of makers, made beforehand and notified again and again, so that many a second cost it little. Commands: see `verbs`.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Direction, MarketType } from '../../src/sim/bytes/generated/enums.js';
import { address, keyOf, PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { emptyOrder, userBytes } from '../../src/sim/bytes/user-account.js';
import type { AccountWrite } from '../../src/sim/market/market-simulator.js';
import { ScriptedChain } from '../../test/scripted-chain.js';
import { ScriptedNode } from '../../test/scripted-chain-node.js';
import { ScriptedGrpc } from '../../test/scripted-grpc.js';
import { BatchedGrpc } from './batched-grpc.js';

const USER_BYTES = 4_376;
/** States that are told by turns: several of each maker. */
const STATES = 2_000;
const BEAT_MS = 5;
/** Writes a second of the chain's own life meanwhile: oracles that stand still take the book apart. */
const LIFE_RATE = 50;
/** Writes that are later than this are skipped. */
const BEHIND_MS_MAX = 500;
/** A marking bid is above the oracle by this part of its price. */
const MARK_PART = 20n;
/** Maximum number of recorded writes: they are only counted. */
const WRITES_MAX = 10_000;

let chain: ScriptedChain;
let node: ScriptedNode;
let servers: (ScriptedGrpc | BatchedGrpc)[] = [];
const states: AccountWrite[] = [];
let next = 0;
let timer: NodeJS.Timeout | undefined;
/** The price of all marks, which the oracle may pass. */
let markPrice: bigint | undefined;
/** Writes that were dropped from the chain's list. */
let dropped = 0;
let longestBeatMs = 0;

const verbs: Record<string, (...words: string[]) => object | Promise<object>> = {
  /** `start MAKERS SERVERS SEED KIND`: where the node and the gRPC servers are, which are `scripted` or `batched`. */
  async start(makers, count, seed, kind) {
    chain = new ScriptedChain({ seed: Number(seed), makers: Number(makers) });
    node = await ScriptedNode.start(chain);
    servers = await Promise.all(
      Array.from({ length: Number(count) }, () =>
        (kind === 'batched' ? BatchedGrpc : ScriptedGrpc).start(chain),
      ),
    );
    while (states.length < STATES) {
      const users = chain.life
        .nextWrites(chain.clock)
        .filter(({ data }) => data.length === USER_BYTES);
      states.push(...users);
    }
    chain.start();
    const markets = chain.markets.map(({ name }) => name);
    return {
      rpcUrl: node.rpcUrl,
      wsUrl: node.wsUrl,
      grpcUrls: servers.map(({ url }) => url),
      markets,
      oracles: [...new Set(chain.life.markets.map(({ feed }) => feed.pubkey))],
    };
  },

  /**
   * `marks COUNT GAP-MS`: a maker's bid above all others changes so many times, to one step more
   * each time; answers its price (1e6), the step (1e9), and when each was written, by the monotonic
   * clock.
   */
  async marks(count, gapMs) {
    const [{ preset, feed } = unknownMarket()] = chain.life.markets;
    const above = feed.price + feed.price / MARK_PART;
    markPrice ??= above - (above % preset.tick);
    const price = markPrice;
    const writtenNs: number[] = [];
    for (let mark = 1; mark <= Number(count); mark += 1) {
      const write = markWrite({ price, size: preset.step * BigInt(mark), mark });
      writtenNs.push(Number(process.hrtime.bigint()));
      chain.write(write);
      await sleep(Number(gapMs));
    }
    return { price: String(price), step: String(preset.step), writtenNs };
  },

  /** `load RATE`: writes a second from now on; answers how many there were before. */
  load(rate) {
    clearInterval(timer);
    const perMs = Number(rate) / 1_000;
    chain.load(perMs === 0 ? 0 : LIFE_RATE);
    const before = dropped + chain.writes.length;
    if (perMs === 0) return { written: before };
    let [due, lastMs] = [0, performance.now()];
    timer = setInterval(() => {
      const nowMs = performance.now();
      longestBeatMs = Math.max(longestBeatMs, nowMs - lastMs);
      due = Math.min(perMs * BEHIND_MS_MAX, due + (nowMs - lastMs) * perMs);
      lastMs = nowMs;
      for (; due >= 1 && !servers.some(isBehind); due -= 1) writeNext();
    }, BEAT_MS);
    return { written: before };
  },

  /** `beats`: the longest time between two beats of a load since the last `beats`. */
  beats() {
    const answer = { longestMs: longestBeatMs };
    longestBeatMs = 0;
    return answer;
  },

  /** `destroy SERVER`: ends a gRPC server and all its connections; answers when, by the monotonic clock. */
  destroy(server) {
    servers[Number(server)]?.stop();
    return { atNs: Number(process.hrtime.bigint()) };
  },

  /** `restore SERVER`: starts it again on its port. */
  async restore(server) {
    await servers[Number(server)]?.restartServer();
    return {};
  },
};

function unknownMarket(): never {
  throw new Error('the chain has no market');
}

/** The account of a maker with one bid of the first perp market. */
function markWrite({
  price,
  size,
  mark,
}: {
  price: bigint;
  size: bigint;
  mark: number;
}): AccountWrite {
  const authority = keyOf(Buffer.alloc(32, 79));
  const order = {
    ...emptyOrder(),
    ...{ slot: BigInt(chain.slot), price, baseAssetAmount: size, orderId: mark },
    ...{ marketIndex: 0, marketType: MarketType.Perp, direction: Direction.Long },
  };
  const data = userBytes({
    ...{ authority, name: 'mark', subAccountId: 0, status: 0, idle: false },
    ...{ lastActiveSlot: BigInt(chain.slot), nextOrderId: mark + 1, orders: [order] },
    ...{ perpPositions: [], spotPositions: [] },
  });
  return { pubkey: address.user({ authority, subAccountId: 0 }), owner: PROGRAM_ID, data };
}

function writeNext(): void {
  const state = states[next % states.length];
  if (state !== undefined) chain.write(state);
  next += 1;
  if (chain.writes.length >= WRITES_MAX) dropped += chain.writes.splice(0).length;
}

function isBehind(server: ScriptedGrpc | BatchedGrpc): boolean {
  return server instanceof BatchedGrpc && server.isBehind;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [verb = '', ...words] = line.split(' ');
  const answer = await verbs[verb]?.(...words);
  process.stdout.write(`${JSON.stringify(answer ?? { error: `unknown command ${verb}` })}\n`);
}
process.exit();
