/**
 * The long tests: `npm run test:long` runs all of them, `npm run test:long -- NAME` one form of the
 * table, or the file test/long/NAME.test.ts. A form is a test with more rounds, set by environment
 * variables; `processes` runs all of test/long with few rounds.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { localCommand, root, runOrThrow } from './process.mjs';

/** The file of test/long that needs Python packages: its own form installs these. */
const WITH_NEEDS = 'test/long/export-python.test.ts';

/** The long forms by name; `needs` are steps of the set-up. */
const longForms = {
  processes: {
    about: 'every test of test/long and test/process: services, chains, servers and browsers',
    needs: ['incumbents', 'ccxt'],
    command: [localCommand('vitest'), 'run', 'test/long', 'test/process', '--exclude', WITH_NEEDS],
    env: {},
  },
  differential: {
    about: 'fast book against naive book, 10,000 seeds',
    command: ['cargo', 'test', '--release', '-p', 'slotbook-book', '--test', 'all', 'differential'],
    env: { SEEDS: '10000' },
  },
  rustdoc: {
    about: 'the pages of the crates, without a broken link',
    command: ['cargo', 'doc', '--workspace', '--no-deps', '--quiet'],
    env: { RUSTDOCFLAGS: '-D warnings' },
  },
  'sdk-differential': {
    about: "the SDK's reading of a chain against the served book, 5 lives of 30 moments",
    command: ['node', 'bench/differential/run.mjs', '--seeds', '5', '--moments', '30'],
    env: {},
  },
  'vamm-sdk': {
    about: "captured perp markets and 4,000 changed ones: our AMM's quotes against the SDK's",
    command: ['node', 'bench/differential/vamm.mjs', '--changed', '4000'],
    env: {},
  },
  'quotes-sdk': {
    about: "the SDK's own sender of indicative quotes against a running service",
    command: ['node', 'bench/differential/quotes-sender.mjs'],
    env: {},
  },
  fuzz: {
    about: 'every decoder fuzzed for ten minutes; FUZZ_SECONDS for another time, FUZZ for some',
    command: ['node', 'scripts/fuzz.mjs'],
    env: {},
  },
  'busy-chain': {
    about: 'an hour of virtual time at 300 writes a second loses every tenth notification',
    command: [localCommand('vitest'), 'run', 'src/feed/log-witness.test.ts', '-t', 'busy chain'],
    env: { BUSY_MINUTES: '60' },
  },
  proof: {
    about:
      'an hour of virtual time at 300 writes a second is verified from outside; Go reads a log',
    command: [localCommand('vitest'), 'run', 'test/proof.test.ts', 'test/long/proof-go.test.ts'],
    env: { PROOF_MINUTES: '60' },
  },
  'record-lives': {
    about: 'five lives of 2,100 transactions with records of every kind, forks, kills and refusals',
    command: [localCommand('vitest'), 'run', 'test/record-lives.test.ts'],
    env: { LIVES: '5', LIFE_STEPS: '600' },
  },
  'cluster-seeds': {
    about:
      'a core, its standby and two edges with faults from 300 seeds; CLUSTER_FROM=n for others',
    command: [localCommand('vitest'), 'run', 'test/cluster-seeds.test.ts'],
    env: { CLUSTER_SEEDS: '300' },
  },
  'core-starts': {
    about: 'two cores that start in one instant, 50 times',
    command: [localCommand('vitest'), 'run', 'test/core-starts.test.ts'],
    env: { CORE_STARTS: '50' },
  },
  hostile: {
    about: 'broken frames, slow and deaf clients',
    command: [
      localCommand('vitest'),
      'run',
      '--no-file-parallelism',
      ...['test/hostile-', 'test/long/hostile-', 'test/process/hostile-'],
    ],
    env: { HOSTILE: 'long' },
  },
  incumbents: {
    about:
      'clients as they are in use, driftpy among them, through a rolling restart of ten cycles; needs python3',
    needs: ['incumbents', 'ccxt', 'driftpy'],
    command: [localCommand('vitest'), 'run', 'test/long/incumbents', 'test/process/sdk'],
    env: { INCUMBENTS: 'long' },
  },
  ccxt: {
    about:
      'the exchange class of examples/ccxt follows a demo for ten minutes, cut every ten seconds',
    needs: ['ccxt'],
    command: [localCommand('vitest'), 'run', 'test/process/ccxt.test.ts'],
    env: { CCXT_SECONDS: '600' },
  },
  standby: {
    about: 'a hundred cores that are killed, and the standbys that go on with their log',
    command: [localCommand('vitest'), 'run', 'test/long/standby.test.ts'],
    env: { STANDBY_KILLS: '100' },
  },
  'log-cluster': {
    about: 'a log on three NATS servers, of which one after the other is killed, twelve in all',
    command: [localCommand('vitest'), 'run', 'test/long/log-cluster.test.ts'],
    env: { CLUSTER_KILLS: '12' },
  },
  partitions: {
    about:
      'a hundred random schedules of partitions between cores, an edge and NATS; SEED=n for others',
    command: [localCommand('vitest'), 'run', 'test/long/partitions.test.ts'],
    env: { PARTITIONS: '100' },
  },
  deaf: {
    about: '1,000 clients that read nothing, and the memory that they leave behind',
    command: [localCommand('vitest'), 'run', 'test/long/deaf-crowd.test.ts'],
    env: { DEAF: 'long' },
  },
  edges: {
    about: 'a reader that jumps between two edges for ten minutes; needs nats-server',
    command: [localCommand('vitest'), 'run', 'test/long/edges.test.ts'],
    env: { EDGES_SECONDS: '600' },
  },
  page: {
    about: 'the page for 30 minutes at 300 account updates a second: first book, scripting, memory',
    command: [localCommand('vitest'), 'run', 'test/long/page-figures.test.ts'],
    env: { PAGE_SECONDS: '1800' },
  },
  sources: {
    about: 'merged sources: 2,000 lives of honest ones, 10,000 with one that lies',
    command: [localCommand('vitest'), 'run', 'src/feed/sources/random-'],
    env: { HONEST_RUNS: '2000', LIAR_RUNS: '10000' },
  },
  stream: {
    about: 'streams: 10,000 lives in two processes, whose frames are equal',
    command: [localCommand('vitest'), 'run', 'test/stream-marks.test.ts'],
    env: { MARK_LIVES: '10000' },
  },
  simulation: {
    about: 'the service on virtual time: 10,000 seeds of six minutes each, with random faults',
    command: ['node', 'scripts/simulate.mjs', '--seeds', '10000'],
    env: {},
  },
  'merged-lies': {
    about:
      'all scenarios on virtual time, everything that one of two merged sources can do wrong among them, and 100 seeds',
    command: [localCommand('vitest'), 'run', 'test/process/simulation'],
    env: { SCENARIOS: 'all', SIMULATION_SEEDS: '100' },
  },
  prove: {
    about: 'a hundred changed lots, each named by the hashes of two services',
    command: [localCommand('vitest'), 'run', 'src/journal/prove-slot.test.ts'],
    env: { PROVED_LOTS: '100' },
  },
  export: {
    about: 'exports as pandas and hftbacktest load them; needs python3',
    command: ['node', 'scripts/export-readers.mjs'],
    env: {},
  },
  schemathesis: {
    about:
      'requests made from /openapi.json against a demo, every response held to it; needs python3',
    command: ['node', 'scripts/schemathesis.mjs'],
    env: {},
  },
  'python-stream': {
    about: 'the Python package follows a demo for ten minutes',
    command: [localCommand('vitest'), 'run', 'test/process/python.test.ts'],
    env: { PYTHON_SECONDS: '600' },
  },
  store: {
    about: 'the store: 1,000 random histories against a plain model, 200 kills of a writer',
    command: [localCommand('vitest'), 'run', 'src/history/store/', 'test/long/store-kill.test.ts'],
    env: { STORE_RUNS: '1000', STORE_KILLS: '200' },
  },
  'as-of': {
    about: 'the books of 1,000 random moments of a journalled life, all byte for byte',
    command: [localCommand('vitest'), 'run', 'src/journal/as-of/moment-reader.test.ts'],
    env: { AS_OF_MOMENTS: '1000' },
  },
  'journal-kills': {
    about: 'a journal while its service is killed 100 times under load: at most a second is lost',
    command: [localCommand('vitest'), 'run', 'test/process/kills.test.ts'],
    env: { JOURNAL_KILLS: '100', JOURNAL_LOSS_MS: '1000' },
  },
  soak: {
    about: 'a demo at 300 writes a second with 50 followers for half an hour: links and memory',
    command: [localCommand('vitest'), 'run', 'test/long/soak.test.ts'],
    env: { SOAK_SECONDS: '1800' },
  },
};

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(longForms);
const unknown = names.filter((name) => formOf(name) === undefined);

if (unknown.length > 0) {
  const known = Object.keys(longForms).join(', ');
  process.stderr.write(`test:long: ${unknown.join(', ')} is unknown; there are: ${known}\n`);
  process.exitCode = 1;
} else {
  for (const name of names) {
    const { about, needs = [], command, env } = formOf(name);
    process.stdout.write(`test:long ${name}: ${about}\n`);
    if (needs.length > 0) await runOrThrow('node', ['scripts/setup.mjs', ...needs]);
    await runOrThrow(command[0], command.slice(1), { env: { LONG: '1', ...env }, echo: 'stdout' });
  }
}

/** A form of the table, or a single file of test/long. */
function formOf(name) {
  const file = `test/long/${name}.test.ts`;
  if (longForms[name] !== undefined || !existsSync(path.join(root, file))) return longForms[name];
  return { about: file, command: [localCommand('vitest'), 'run', file], env: {} };
}
