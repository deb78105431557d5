/**
 * Accounts on the channel `user`, without sockets: the frames that the topics of an interval ask the
 * engine for while all oracles move, and the turns of the same time. Commands: see the end.
 */
import { LAYOUTS } from '../../dist/src/sim/bytes/generated/layout.js';
import { answerCommands } from './commands.mjs';
import { WorkloadBook } from './workload-book.mjs';

const { USER, PERP_POSITION } = LAYOUTS.drift;
/** Base of each account's first position, 1e9, and its cost, 1e6. */
const POSITION = { base: 2_000_000_000n, quote: -300_000_000n };
/** Turns of a second, one a slot, and the prices between which oracles move. */
const TURNS = 3;
const TICKS_APART = 6;

let book;
let accounts = [];
let turns = 0;

/** Opens the book of a file whose accounts have a position each, and watches the first of them. */
function load(path, watched) {
  book = new WorkloadBook(path, (data) => {
    data.writeBigInt64LE(POSITION.base, USER.perpPositions + PERP_POSITION.baseAssetAmount);
    data.writeBigInt64LE(POSITION.quote, USER.perpPositions + PERP_POSITION.quoteAssetAmount);
  });
  book.pushQuoteMarket();
  book.engine.endTurn(Date.now());
  accounts = book.users.slice(0, Number(watched));
  const opened = accounts.filter((account) => book.engine.accounts.watch(account, Date.now()));
  return { users: book.users.length, watched: opened.length };
}

/** A second of turns, in each of which every oracle moves; without the frames of accounts. */
function turn() {
  return timed(() => {
    for (let at = 0; at < TURNS; at += 1) {
      turns += 1;
      for (let market = 0; market < book.marketNames.length; market += 1) {
        book.pushOracle(market, (turns % TICKS_APART) + 1);
      }
      book.engine.endTurn(Date.now());
    }
    return 0;
  });
}

/** The frames of a second: one of each watched account. */
function frames() {
  return timed(() => {
    let bytes = 0;
    for (const account of accounts) {
      bytes += book.engine.accounts.renderDelta(account, Date.now())?.frame.length ?? 0;
    }
    return bytes;
  });
}

/** The body of an account whose numbers are those of its last frame. */
function body(at) {
  return { body: book.engine.accounts.render(accounts[Number(at)]) };
}

function timed(work) {
  const [wall, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
  const bytes = work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallNs: Number(process.hrtime.bigint() - wall), cpuNs: (user + system) * 1_000, bytes };
}

await answerCommands({ load, turn, frames, body });
