/**
 * The service's own parts under a workload: Engine, handlers, WebSockets and transport as `main.ts`
 * composes them, with a workload file in the place of the feed. Commands: see `verbs`.
 */
import { createHandlers } from '../../dist/src/server/http.js';
import { listen } from '../../dist/src/server/uws.js';
import { SocketServer } from '../../dist/src/server/ws-server.js';
import { answerCommands } from './commands.mjs';
import { WorkloadBook } from './workload-book.mjs';

/** Each so often the accounts that have fallen due are one turn. */
const TURN_MS = 10;
/** The depth of the compatible channel. */
const CHANNEL_DEPTH = 20;
/** Turns are further apart than this, so each of them is published at once. */
const PUBLISH_INTERVAL_MS = 1;
/** No reader of a benchmark is refused. */
const UNLIMITED = 1_000_000;

let book;
let sockets;
let listener;
let lastTopic;
let churn;
let churned = 0;
let turnCount = 0;

const verbs = {
  /** `load PATH`: opens the book of a workload file. */
  load(path) {
    book = new WorkloadBook(path);
    return { markets: book.marketNames };
  },

  /** `listen`: answers HTTP and WebSockets on a free port of loopback. */
  async listen() {
    const readiness = () => ({ everLive: true, state: 'live', reason: null, slot: 0 });
    const onFault = (error) => process.stderr.write(`bench: ${error.stack}\n`);
    const { engine } = book;
    sockets = new SocketServer({
      book: engine,
      readiness,
      publishIntervalMs: PUBLISH_INTERVAL_MS,
      streamIntervalMs: PUBLISH_INTERVAL_MS,
      topicsPerIp: UNLIMITED,
      socketsPerIp: UNLIMITED,
      messagesPerSecond: UNLIMITED,
      onFault,
    });
    const handlers = createHandlers({
      book: engine,
      readiness,
      feed: () => ({ slotAgeMs: 0, events: {} }),
      build: { name: 'slotbook', version: '0', commit: null },
    });
    const address = { host: '127.0.0.1', port: 0 };
    listener = await listen({ ...address, handler: handlers.main, sockets, onFault });
    sockets.start({ publish });
    return { port: listener.port };
  },

  /** `churn RATE`: applies so many accounts a second from now on; 0 for none. */
  churn(rate) {
    clearInterval(churn);
    churned = 0;
    if (Number(rate) > 0) churn = startChurn(Number(rate));
    return {};
  },

  /** `churned`: accounts applied since the last `churn`. */
  churned() {
    return { accounts: churned };
  },

  /** `body MARKET DEPTH`: the engine's own /l2 body. */
  body(market, depth) {
    const body = book.engine.l2({ market: Number(market), depth: Number(depth) });
    return { body: Buffer.from(body).toString() };
  },

  /** `turn MARKETS`: a tick of the oracles of the first so many markets, published in one turn. */
  turn(markets) {
    turnCount += 1;
    for (let market = 0; market < Number(markets); market += 1) {
      book.pushOracle(market, (turnCount % 5) + 1);
    }
    endTurn();
    return {};
  },

  /** `figures`: what the WebSockets have done. */
  figures: () => sockets.figures(),

  /** `frames ACCOUNTS`: each account to a finished frame of market 0, nothing else. */
  frames(accounts) {
    const { engine } = book;
    const request = frameRequest();
    const [cpu, wall] = [process.cpuUsage(), process.hrtime.bigint()];
    let bytes = 0;
    for (let done = 0; done < Number(accounts); done += 1) {
      book.pushRepeated();
      engine.endTurn(done);
      bytes += engine.orderbookFrame(request).length;
    }
    const wallNs = Number(process.hrtime.bigint() - wall);
    const used = process.cpuUsage(cpu);
    const cpuNs = (used.user + used.system) * 1_000;
    return { operations: Number(accounts), wallNs, cpuNs, bytes: bytes / Number(accounts) };
  },

  /**
   * `latency PAIRS EVERY-MS`: by turns an account through the whole service, and a bare publish of
   * the frame that it made, each at its own time. Answers when each began, in nanoseconds.
   */
  async latency(pairs, everyMs) {
    const times = [];
    for (let pair = 0; pair < Number(pairs); pair += 1) {
      await later(Number(everyMs));
      times.push(Number(process.hrtime.bigint()));
      book.pushRepeated();
      endTurn();
      await later(Number(everyMs));
      const bytes = Buffer.from(book.engine.orderbookFrame(frameRequest()));
      times.push(Number(process.hrtime.bigint()));
      listener.publish(lastTopic, bytes);
    }
    return { times };
  },
};

function publish(topic, bytes) {
  lastTopic = topic;
  listener.publish(topic, bytes);
}

function endTurn() {
  sockets.turn(book.engine.endTurn(Date.now()).dirty);
}

function frameRequest() {
  return { market: 0, depth: CHANNEL_DEPTH, vamm: true, indicative: false };
}

function later(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Catches up when a timer came late, so that the count depends on the time alone. */
function startChurn(rate) {
  const startMs = performance.now();
  return setInterval(() => {
    const due = Math.floor(((performance.now() - startMs) * rate) / 1_000) - churned;
    if (due <= 0) return;
    book.push(due);
    endTurn();
    churned += due;
  }, TURN_MS);
}

await answerCommands(verbs);
