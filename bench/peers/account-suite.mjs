/**
 * The row `accounts`: both sides in one process, compared and then timed by tinybench in turns. Prints
 * one JSON line a measurement. `node --expose-gc bench/peers/account-suite.mjs ROUNDS`.
 */
import * as ours from '../client/models.mjs';
import { suiteInTurns } from '../harness/suite.mjs';
import * as peer from './read-models.mjs';

const SEED = 20_261_121;
/** Accounts that are compared whole, and ticks at which their models are. */
const COMPARED = { count: 300, ticks: [0, 7, 33] };
/** The SDK takes milliseconds an account, so it makes the models of the first of them only. */
const MODELS = { ours: 10_000, peer: 500 };
/** Accounts that are decoded in one iteration, and how often. */
const DECODED = { count: 2_000, repeats: { ours: 16, peer: 1 } };

/** The parts of an account to decode or read. */
const PARTS = {
  checked: 'a user account to where everything in it can be asked for, its bytes checked',
  all: 'a user account decoded, every field made, its owner as text',
  numbers: 'a user account decoded, its orders and positions read as numbers, none made',
  margin: 'a user account decoded as far as its margin, orders left as bytes',
};

const rounds = Number(process.argv[2]);
const { count, ticks } = COMPARED;
const users = requireSame('users', (side) => side.wholeUsers({ count, seed: SEED }));
let models = 0;
for (const tick of ticks) {
  models += requireSame(`models at ${tick}`, (side) => side.modelsAt({ count, seed: SEED, tick }));
}

for (const [part, work] of Object.entries(PARTS)) {
  const side = (module, repeats) =>
    module.decodeWork({ count: DECODED.count, seed: SEED, repeats, part });
  const sides = {
    ours: side(ours, DECODED.repeats.ours),
    peer: side(peer, DECODED.repeats.peer),
  };
  print({ work, checked: users, ...(await suiteInTurns({ ...sides, rounds, iterations: 8 })) });
}
const sides = {
  ours: ours.modelsWork({ count: MODELS.ours, seed: SEED }),
  peer: peer.modelsWork({ count: MODELS.peer, seed: SEED }),
};
const work = 'all models of an account at an oracle tick, of 10,000 that hold the market';
print({ work, checked: models, ...(await suiteInTurns({ ...sides, rounds })) });

function print(result) {
  process.stdout.write(`${JSON.stringify({ ...result, data: `accounts, seed ${SEED}` })}\n`);
}

/** Compares both sides' models of the same accounts, as text; returns the number of accounts. */
function requireSame(what, make) {
  const [left, right] = [make(ours).map(sortedText), make(peer).map(sortedText)];
  if (left.length !== right.length) throw new Error(`${what}: ${right.length} accounts`);
  for (const [index, text] of left.entries()) {
    if (text !== right[index]) throw new Error(`${what} differs:\n${text}\n${right[index]}`);
  }
  return left.length;
}

/** JSON with the members of objects in the order of their names. */
function sortedText(value) {
  return JSON.stringify(value, (_, part) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
