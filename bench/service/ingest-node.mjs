/**
 * An RPC node before the demo's chain that has transactions of its own: fills of one market, told to
 * subscribers of logs as fast as they read, and listed like others afterwards. All else is the
 * chain's. Commands: see `verbs`.
 */
import { createServer } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import { fillRecordBytes } from '../../dist/src/sim/bytes/event-record.js';
import { keyOf, PROGRAM_ID } from '../../dist/src/sim/bytes/keys.js';
import { answerCommands } from './commands.mjs';

/** Maximum unread bytes of a subscriber before the node waits: a second of a busy chain. */
const UNREAD_BYTES_MAX = 512 * 1024;
/** Notifications made in one turn of the loop. */
const BURST = 64;
const PAGE_MAX = 1_000;
/** The lag of finalised slots, like the chain's. */
const FINAL_SLOTS = 31;
const SUBSCRIPTION = 1_000_000_001;
const PRICE = 85_000_000n;
const BASE = 1_000_000_000n;
/** Offsets of a fill's id and price in its record, after the filler and the reward. */
const AT = { ts: 8, fillRecordId: 64, quote: 82 };
const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** The first digits of 64 bytes in base 58, and the number of digits of the rest. */
const SIGNATURE_HEAD = '3'.padEnd(77, '2');
const NUMBER_DIGITS = 11;

let upstream;
let slot = 0;
/** The slot of each transaction that was notified; its place in the list is its number. */
const told = [];
const readers = new Set();
let isFeeding = false;

const verbs = {
  /** `start RPC-URL WS-URL`: of the chain. */
  async start(rpcUrl, wsUrl) {
    upstream = { rpcUrl, wsUrl };
    const server = createServer((request, response) => answer(request, response));
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', relay);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    await followSlots();
    const { port } = server.address();
    return { rpcUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}` };
  },

  /** `feed on`, `feed off`. */
  feed(state) {
    isFeeding = state === 'on';
    if (isFeeding) feed();
    return {};
  },

  /** `told`: transactions so far, by all their subscribers together. */
  told: () => ({ transactions: told.length }),
};

function followSlots() {
  const socket = new WebSocket(upstream.wsUrl);
  socket.on('open', () => socket.send('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}'));
  return new Promise((resolve) => {
    socket.on('message', (data) => {
      const { params } = JSON.parse(data.toString());
      if (params === undefined) return;
      slot = params.result.slot;
      resolve();
    });
  });
}

/** Passes messages on, but for subscriptions to logs, which are the node's own. */
function relay(client) {
  const chain = new WebSocket(upstream.wsUrl);
  const waiting = [];
  client.on('message', (data) => {
    const text = data.toString();
    if (text.includes('"logsSubscribe"')) {
      readers.add(client);
      const { id } = JSON.parse(text);
      client.send(JSON.stringify({ jsonrpc: '2.0', result: SUBSCRIPTION, id }));
    } else if (chain.readyState === WebSocket.OPEN) chain.send(text);
    else waiting.push(text);
  });
  chain.on('open', () => {
    for (const text of waiting.splice(0)) chain.send(text);
  });
  chain.on('message', (data) => client.send(data.toString()));
  client.on('ping', (data) => chain.readyState === WebSocket.OPEN && chain.ping(data));
  for (const socket of [client, chain]) {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      readers.delete(client);
      client.terminate();
      chain.terminate();
    });
  }
}

function feed() {
  if (!isFeeding) return;
  const isBehind = [...readers].some(({ bufferedAmount }) => bufferedAmount > UNREAD_BYTES_MAX);
  for (let i = 0; i < BURST && !isBehind && readers.size > 0; i += 1) {
    const number = told.length;
    told.push(slot);
    const text = notificationOf(number);
    for (const reader of readers) reader.send(text);
  }
  if (isBehind) setTimeout(feed, 1);
  else setImmediate(feed);
}

const template = fillRecordBytes({
  ts: 0n,
  actionExplanation: 8,
  marketIndex: 0,
  marketType: 1,
  filler: keyOf(Buffer.alloc(32, 7)),
  fillerReward: 100n,
  fillRecordId: 0n,
  baseAssetAmountFilled: BASE,
  quoteAssetAmountFilled: PRICE,
  takerFee: 1_000n,
  makerFee: -200n,
  ...orderOf('taker', 8, 0),
  ...orderOf('maker', 9, 1),
  oraclePrice: PRICE,
  bitFlags: 0,
});

function orderOf(side, seed, direction) {
  return {
    [side]: keyOf(Buffer.alloc(32, seed)),
    [`${side}OrderId`]: seed,
    [`${side}OrderDirection`]: direction,
    [`${side}OrderBaseAssetAmount`]: BASE,
    [`${side}OrderCumulativeBaseAssetAmountFilled`]: BASE,
    [`${side}OrderCumulativeQuoteAssetAmountFilled`]: PRICE,
  };
}

/** The log of a transaction, always the same for its number but for its time. */
function linesOf(number) {
  template.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1_000)), AT.ts);
  template.writeBigUInt64LE(BigInt(number + 1), AT.fillRecordId);
  template.writeBigUInt64LE(PRICE + BigInt(number % 997), AT.quote);
  return [
    `Program ${PROGRAM_ID} invoke [1]`,
    `Program log: ${template.toString('base64')}`,
    `Program ${PROGRAM_ID} success`,
  ];
}

function notificationOf(number) {
  const lines = linesOf(number).map((line) => `"${line}"`);
  const value = `{"signature":"${signatureOf(number)}","err":null,"logs":[${lines}]}`;
  const result = `{"context":{"slot":${told[number]}},"value":${value}}`;
  const params = `{"result":${result},"subscription":${SUBSCRIPTION}}`;
  return `{"jsonrpc":"2.0","method":"logsNotification","params":${params}}`;
}

/** The number in base 58, after the common first digits. */
function signatureOf(number) {
  let text = '';
  for (let left = number; left > 0; left = Math.floor(left / 58)) text = DIGITS[left % 58] + text;
  return SIGNATURE_HEAD + text.padStart(NUMBER_DIGITS, '1');
}

function numberOf(signature) {
  let number = 0;
  for (const digit of signature.slice(SIGNATURE_HEAD.length))
    number = number * 58 + DIGITS.indexOf(digit);
  return number;
}

async function answer(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString();
  const { id, method, params } = JSON.parse(body);
  const own = answers[method]?.(params);
  if (own !== undefined) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', result: own, id }));
    return;
  }
  const headers = { 'content-type': 'application/json' };
  const answered = await fetch(upstream.rpcUrl, { method: 'POST', headers, body });
  response.setHeader('content-type', 'application/json');
  response.end(Buffer.from(await answered.arrayBuffer()));
}

const answers = {
  getSignaturesForAddress([, { before, until, limit = PAGE_MAX, commitment } = {}]) {
    const from = before === undefined ? told.length : numberOf(before);
    const to = until === undefined ? -1 : numberOf(until);
    const slotMax = commitment === 'finalized' ? slot - FINAL_SLOTS : slot;
    const rows = [];
    for (let number = from - 1; number > to && rows.length < limit; number -= 1) {
      if (told[number] > slotMax) continue;
      const blockTime = Math.floor(Date.now() / 1_000);
      rows.push({ signature: signatureOf(number), slot: told[number], err: null, blockTime });
    }
    return rows;
  },

  getSignatureStatuses: ([signatures]) => ({
    context: { slot },
    value: signatures.map((signature) => {
      const at = told[numberOf(signature)];
      return at === undefined ? null : { slot: at, confirmationStatus: 'finalized', err: null };
    }),
  }),

  getTransaction([signature]) {
    const number = numberOf(signature);
    if (told[number] === undefined) return null;
    const meta = { err: null, logMessages: linesOf(number) };
    return { slot: told[number], blockTime: null, meta, transaction: {} };
  },
};

await answerCommands(verbs);
