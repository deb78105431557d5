/** The book of a chain in this process, as a bot has it. Commands: see `verbs`. */
import { LiveBook } from '../../dist/src/app/live-book.js';
import { answerCommands } from './commands.mjs';
import { Latencies } from './latencies.mjs';

let book;
let market;
/** Milliseconds from a turn's first account to the callback that has read the best prices. */
const latencies = new Latencies();

await answerCommands({
  /** `start RPC-URL WS-URL MARKET`: resolves when the book is live. */
  async start(rpcUrl, wsUrl, name) {
    market = name;
    book = await LiveBook.open({ rpcUrl, wsUrl });
    book.onTurn(({ markets, receivedAtMs }) => {
      if (!markets.some(({ symbol }) => symbol === market)) return;
      book.levels(market, { depth: 1 });
      latencies.add(performance.now() - receivedAtMs);
    });
    return {};
  },

  ...latencies.verbs,

  /** `top`: the best levels of both sides. */
  top() {
    const { bids, asks } = book.levels(market, { depth: 1 });
    return { top: [...bids, ...asks].map(({ price, size }) => [String(price), String(size)]) };
  },
});
