/** User accounts in the client library, against the SDK: decoding them, and what is shown of them. */
import { timeInTurns } from './rounds.mjs';

/** Accounts that are compared whole, and ticks at which their models are. */
const COMPARED = { accounts: 300, ticks: [0, 7, 33] };
const SEED = 20_261_121;

/** The SDK takes milliseconds an account, so it makes the models of the first of them only. */
const MODELS = { client: '10000', sdk: '500' };
const TICKS = { client: 3, sdk: 1 };

/** Accounts of a round, and how often they are decoded. */
const DECODED = 2_000;
const REPEATS = { client: 50, sdk: 3 };

/** What of an account is made: everything, or what its margin is made of. */
const PARTS = {
  checked: 'a user account to where everything in it can be asked for, its bytes checked',
  all: 'a user account decoded, every field made, its owner as text',
  margin: 'a user account decoded as far as its margin, orders left as bytes',
};

/** The rows of the client's accounts. */
export async function clientAccounts(bench) {
  const results = [];
  const decoded = await same(bench, 'users', [`decodes ${COMPARED.accounts} ${SEED}`]);
  for (const [part, work] of Object.entries(PARTS)) {
    const time = (engine) => () =>
      bench.engines[engine].ask(`decodetime ${DECODED} ${SEED} ${REPEATS[engine]} ${part}`);
    results.push(await rowOf(bench, { work, time, checked: decoded }));
  }
  const asks = COMPARED.ticks.map((tick) => `models ${COMPARED.accounts} ${SEED} ${tick}`);
  const checked = await same(bench, 'models', asks);
  const time = (engine) => () =>
    bench.engines[engine].ask(`modelstime ${MODELS[engine]} ${SEED} ${TICKS[engine]}`);
  const work = 'all models of an account at an oracle tick, of 10,000 that hold the market';
  results.push(await rowOf(bench, { work, time, checked }));
  return results;
}

async function rowOf(bench, { work, time, checked }) {
  const [ours, peer] = [time('client'), time('sdk')];
  const { rounds } = bench;
  const warmUp = [ours, peer];
  const times = await timeInTurns({ ours, peer, rounds, warmUp, judge: 'cpu' });
  const data = `accounts, seed ${SEED}`;
  const bars = { bar: 20, wish: 50, better: 'higher' };
  return { row: 'accounts', work, data, against: 'SDK', checked, ...times, ...bars };
}

/** Compares what both sides make of the same accounts, as text; answers how many there were. */
async function same(bench, member, asks) {
  let compared = 0;
  for (const ask of asks) {
    const answers = await Promise.all(
      ['client', 'sdk'].map((engine) => bench.engines[engine].ask(ask)),
    );
    const [ours, theirs] = answers.map((answer) => answer[member].map(sorted));
    for (const [index, text] of ours.entries()) {
      if (text !== theirs[index]) throw new Error(`${ask} differs:\n${text}\n${theirs[index]}`);
      compared += 1;
    }
    if (ours.length !== theirs.length) throw new Error(`${ask}: ${theirs.length} accounts`);
  }
  return compared;
}

/** JSON with the members of objects in the order of their names. */
function sorted(value) {
  return JSON.stringify(value, (_, part) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
