/** The book of a chain in this process, as a bot has it. Commands: see `verbs`. */
import { LiveBook } from '../../dist/src/app/live-book.js';
import { answerCommands } from './commands.mjs';

let book;
let market;
/** Milliseconds from a turn's first account to the callback that has read the best prices. */
let latenciesMs = [];
let cpu = process.cpuUsage();

await answerCommands({
  /** `start RPC-URL WS-URL MARKET`: resolves when the book is live. */
  async start(rpcUrl, wsUrl, name) {
    market = name;
    book = await LiveBook.open({ rpcUrl, wsUrl });
    book.onTurn(({ markets, receivedAtMs }) => {
      if (!markets.some(({ symbol }) => symbol === market)) return;
      book.levels(market, { depth: 1 });
      latenciesMs.push(performance.now() - receivedAtMs);
    });
    return {};
  },

  begin() {
    latenciesMs = [];
    cpu = process.cpuUsage();
    return {};
  },

  end() {
    const { user, system } = process.cpuUsage(cpu);
    return { latenciesMs, cpuMs: (user + system) / 1_000 };
  },

  /** `top`: the best levels of both sides. */
  top() {
    const { bids, asks } = book.levels(market, { depth: 1 });
    return { top: [...bids, ...asks].map(({ price, size }) => [String(price), String(size)]) };
  },
});
