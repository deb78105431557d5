/**
 * The fan-out of Drift v2, as `wsConnectionManager.ts` of dlob-server does it: a message of its
 * bus is parsed once to look at its slot, then wrapped and made into text for each subscriber, over
 * `ws`. Commands: see `verbs`.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import { answerCommands } from './commands.mjs';

/** A subscriber with more bytes waiting gets no update. */
const BUFFERED_BYTES_MAX = 300_000;

const subscribers = new Map();
let turns = [];
let at = 0;

const verbs = {
  /** `listen DEFLATE`: DEFLATE is `plain` or `deflate`, with the library's own settings. */
  listen(deflate) {
    const server = createServer();
    const sockets = new WebSocketServer({
      server,
      path: '/ws',
      perMessageDeflate: deflate === 'deflate',
    });
    sockets.on('connection', (socket) => {
      socket.on('message', (text) => subscribe(socket, JSON.parse(text)));
    });
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port }));
    });
  },

  /** `load PATH`: turns of `[channel, message]` to send, as JSON. */
  load(path) {
    turns = JSON.parse(readFileSync(path, 'utf8'));
    at = 0;
    return {};
  },

  /** `subscribed COUNT`: resolves when there are so many subscriptions. */
  async subscribed(count) {
    const all = () => [...subscribers.values()].reduce((sum, { size }) => sum + size, 0);
    while (all() < Number(count)) await new Promise((resolve) => setTimeout(resolve, 10));
    return {};
  },

  /** `turn`: sends the next turn's frames. */
  turn() {
    for (const [channel, message] of turns[at]) publish(channel, message);
    at = (at + 1) % turns.length;
    return {};
  },
};

function subscribe(socket, { channel }) {
  subscribers.set(channel, (subscribers.get(channel) ?? new Set()).add(socket));
}

const slots = new Map();

function publish(channel, message) {
  const { slot } = JSON.parse(message);
  if (slot < (slots.get(channel) ?? 0)) return;
  slots.set(channel, slot);
  for (const socket of subscribers.get(channel) ?? []) {
    if (socket.readyState !== WebSocket.OPEN) continue;
    if (socket.bufferedAmount >= BUFFERED_BYTES_MAX) continue;
    socket.send(JSON.stringify({ channel, data: message }));
  }
}

await answerCommands(verbs);
