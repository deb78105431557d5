/**
 * The service's own parts under a workload: Engine, handlers, WebSockets and transport as `start-service.ts`
 * composes them, with a workload file in the place of the feed. Commands: see `verbs`.
 */
import { PublishMarks } from '../../dist/src/feed/model/publish-marks.js';
import { systemTimers } from '../../dist/src/rpc/timers.js';
import { createHandlers } from '../../dist/src/server/routes/http.js';
import { SocketServer } from '../../dist/src/server/sockets/socket-server.js';
import { listen } from '../../dist/src/server/transport/uws.js';
import { answerCommands } from './commands.mjs';
import { WorkloadBook } from './workload-book.mjs';

/** Each so often the accounts that have fallen due are one turn. */
const TURN_MS = 10;
/** The depth of the compatible channel. */
const CHANNEL_DEPTH = 20;
/** Shorter than the time between turns, so that each turn is published immediately. */
const PUBLISH_INTERVAL_MS = 1;
/** Different prices of an oracle that ticks in turns. */
const TICKS_APART = 6;
/** A quote lives for a second. */
const QUOTE_MS = 400;
/** No reader of a benchmark is refused. */
const UNLIMITED = 1_000_000;

let book;
let sockets;
let marks;
let listener;
/** The last publication: its topic, and its bytes until the next. */
let last;
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
      timers: systemTimers,
      book: engine,
      directory: engine,
      readiness,
      publishIntervalMs: PUBLISH_INTERVAL_MS,
      topicsPerSocket: UNLIMITED,
      topicsPerIp: UNLIMITED,
      topicsMax: UNLIMITED,
      socketsPerIp: UNLIMITED,
      messagesPerSecond: UNLIMITED,
      messageBurst: 1,
      onFault,
    });
    marks = new PublishMarks({
      ...{ timers: systemTimers, streamIntervalMs: PUBLISH_INTERVAL_MS },
      onDue: endTurn,
    });
    const handlers = createHandlers({
      timers: systemTimers,
      book: engine,
      directory: engine,
      readiness,
      feed: () => ({ slotAgeMs: 0, events: {} }),
      build: { name: 'slotbook', version: '0', commit: null },
    });
    const address = { host: '127.0.0.1', port: 0 };
    listener = await listen({
      timers: systemTimers,
      ...address,
      handler: handlers.main,
      sockets: [sockets],
      onFault,
    });
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

  /** `quotes MARKET`: starts a maker of indicative quotes in the market. */
  quotes(market) {
    const quote = () => {
      book.quote(Number(market), Date.now());
      endTurn();
    };
    quote();
    setInterval(quote, QUOTE_MS);
    return {};
  },

  /** `body MARKET DEPTH`: the engine's own /l2 body. */
  body(market, depth) {
    const body = book.engine.l2({ market: Number(market), depth: Number(depth) });
    return { body: Buffer.from(body).toString() };
  },

  /** `match MARKET SIZE`: the engine's own /match body of a market order that buys. */
  match(market, size) {
    const order = { market: Number(market), side: 'buy', size: BigInt(size), orderType: 'market' };
    return { body: Buffer.from(book.engine.match(order)).toString() };
  },

  /** `changes MARKETS USERS`: chooses the accounts of `turn MARKETS account` and of `book` frames. */
  changes(markets, users) {
    const [count, each] = [Number(markets), Number(users)];
    book.keepChanges({ markets: count, users: each, depth: CHANNEL_DEPTH });
    return {};
  },

  /**
   * `turn MARKETS CHANGE`: a change of the first so many markets, published in one turn. CHANGE is
   * `tick`, of their oracles, or `account`, one for each.
   */
  turn(markets, change) {
    turnCount += 1;
    if (change === 'account') book.pushChanges();
    for (let market = 0; change === 'tick' && market < Number(markets); market += 1) {
      book.pushOracle(market, (turnCount % TICKS_APART) + 1);
    }
    endTurn();
    return {};
  },

  /** `frames ACCOUNTS CHANNEL DEPTH`: each account to a finished frame of market 0, nothing else. */
  frames(accounts, channel, depth) {
    const { engine } = book;
    const push = pushOf(channel);
    const frame = frameOf(channel, Number(depth));
    const [cpu, wall] = [process.cpuUsage(), process.hrtime.bigint()];
    let bytes = 0;
    for (let done = 0; done < Number(accounts); done += 1) {
      push();
      engine.endTurn(done);
      bytes += frame.next();
    }
    const wallNs = Number(process.hrtime.bigint() - wall);
    const used = process.cpuUsage(cpu);
    const cpuNs = (used.user + used.system) * 1_000;
    frame.close();
    return { operations: Number(accounts), wallNs, cpuNs, bytes: bytes / Number(accounts) };
  },

  /**
   * `latency PAIRS EVERY-MS CHANNEL`: by turns an account through the whole service, and a bare publish of
   * the frame that it made, each at its own time. Returns when each began, in nanoseconds.
   */
  async latency(pairs, everyMs, channel) {
    const push = pushOf(channel);
    const times = [];
    for (let pair = 0; pair < Number(pairs); pair += 1) {
      await later(Number(everyMs));
      times.push(Number(process.hrtime.bigint()));
      push();
      endTurn();
      await later(Number(everyMs));
      const bytes = Buffer.from(last.bytes);
      times.push(Number(process.hrtime.bigint()));
      listener.publish(last.topic, bytes);
    }
    return { times };
  },

  /**
   * `traffic RATE INTERVAL-MS SECONDS`: bytes that a subscriber of market 0 receives while the
   * workload runs at this many accounts a second, as deltas, as snapshots and as frames of the
   * compatible channel at the same moments. Time is the workload's, without waiting.
   */
  traffic(rate, intervalMs, seconds) {
    const { engine } = book;
    const handle = engine.topics.openTopic({ channel: 'book', market: 0, depth: CHANNEL_DEPTH });
    const sum = { frames: 0, deltas: 0, snapshots: 0, channel: 0 };
    let pushed = 0;
    for (let ms = Number(intervalMs); ms <= Number(seconds) * 1_000; ms += Number(intervalMs)) {
      const due = Math.floor((ms * Number(rate)) / 1_000);
      book.push(due - pushed);
      pushed = due;
      engine.endTurn(Date.now());
      const delta = engine.topics.renderDelta(handle);
      if (delta === null) continue;
      sum.frames += 1;
      sum.deltas += delta.frame.length;
      sum.snapshots += engine.topics.renderSnapshot(handle, { id: '', reset: false }).length;
      sum.channel += engine.orderbookFrame(channelRequest(CHANNEL_DEPTH)).length;
    }
    engine.topics.closeTopic(handle);
    return sum;
  },
};

/** Beats are texts, and no books. */
function publish(topic, bytes) {
  if (typeof bytes !== 'string') last = { topic, bytes };
  listener.publish(topic, bytes);
}

function endTurn() {
  sockets.publisher.finishMark();
  const changes = book.engine.endTurn(Date.now());
  const mark = marks.takeMark(changes);
  sockets.publishTurn({ changes, mark, receivedAtMs: systemTimers.nowMs() });
}

function channelRequest(depth) {
  return { market: 0, depth, vamm: false, indicative: false };
}

/** Prepared accounts; for deltas, accounts that change the output. */
function pushOf(channel) {
  return channel === 'book' ? () => book.pushChanges() : () => book.pushRepeated();
}

/** A function that renders the next frame of a channel and returns its length. */
function frameOf(channel, depth) {
  const { engine } = book;
  if (channel === 'orderbook') {
    const request = channelRequest(depth);
    return { next: () => engine.orderbookFrame(request).length, close: () => undefined };
  }
  const handle = engine.topics.openTopic({ channel: 'book', market: 0, depth });
  // An account without a delta would cost less: reading `frame` of null ends the run.
  const next = () => engine.topics.renderDelta(handle).frame.length;
  return { next, close: () => engine.topics.closeTopic(handle) };
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
    sockets.publisher.finishMark();
    book.push(due);
    endTurn();
    churned += due;
  }, TURN_MS);
}

await answerCommands(verbs);
