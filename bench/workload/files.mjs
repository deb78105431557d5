/**
 * The workload files of the benchmarks, made once into `bench/.data` by `generate.mjs`.
 *
 * A file's name contains its arguments, and its folder's name the generator's hash, so a file is
 * never outdated.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const generator = path.join(here, 'generate.mjs');

const DEFAULTS = { seed: 1, users: 500, orders: 20, markets: 1, floating: 0.3, events: 20_000 };

/** Events enough for 200 oracle ticks, where only the ticks are replayed. */
const TICKS_ONLY = { events: 1_000, 'oracle-every': 5 };

/** The arguments of each workload, by the name that the rows use. */
const WORKLOADS = {
  'powerlaw-10k': { shape: 'powerlaw' },
  'uniform-10k': { shape: 'uniform' },
  'powerlaw-1k': { shape: 'powerlaw', users: 50, events: 1_000 },
  'uniform-1k': { shape: 'uniform', users: 50, events: 1_000 },
  'powerlaw-floating-10k': { shape: 'powerlaw', floating: 1, ...TICKS_ONLY },
  'powerlaw-floating-100': { shape: 'powerlaw', floating: 1, users: 5, ...TICKS_ONLY },
  'uniform-floating-10k': { shape: 'uniform', floating: 1, ...TICKS_ONLY },
  'uniform-floating-100': { shape: 'uniform', floating: 1, users: 5, ...TICKS_ONLY },
  // All orders follow the oracle as an AMM does: its levels stay between theirs however long it lasts.
  'uniform-following-48': { shape: 'uniform', floating: 1, users: 2, orders: 24 },
  'uniform-following-400': { shape: 'uniform', floating: 1, users: 20 },
  'powerlaw-open-8': { shape: 'powerlaw', users: 1_250, orders: 8 },
  'uniform-open-8': { shape: 'uniform', users: 1_250, orders: 8 },
  'powerlaw-open-32': { shape: 'powerlaw', users: 313, orders: 32 },
  'uniform-open-32': { shape: 'uniform', users: 313, orders: 32 },
  'powerlaw-8-markets': { shape: 'powerlaw', users: 2_000, markets: 8, events: 1_000 },
  'powerlaw-10k-users': { shape: 'powerlaw', users: 10_000, events: 0 },
  'powerlaw-100k-users': { shape: 'powerlaw', users: 100_000, orders: 2, markets: 8, events: 0 },
  'powerlaw-cold': { shape: 'powerlaw', users: 10_000, markets: 50, events: 0 },
};

/** Makes the file of a workload if it is not there, and returns its path. The orders are the same for both programs. */
export function workloadFile(name, program = 'drift') {
  const config = { program, ...DEFAULTS, ...WORKLOADS[name] };
  const folder = path.join(here, '..', '.data', generatorHash());
  const file = path.join(folder, `${fileName(config)}.sbwl`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const options = Object.entries(config).flatMap(([key, value]) => [`--${key}`, String(value)]);
  execFileSync(process.execPath, [generator, `${file}.tmp`, ...options], { stdio: 'inherit' });
  renameSync(`${file}.tmp`, file);
  return file;
}

/** The shape, size and seed of a workload, as a row names them. */
export function describeWorkload(name) {
  const { shape, users, orders, markets, floating, seed } = { ...DEFAULTS, ...WORKLOADS[name] };
  const where = markets === 1 ? 'one market' : `${markets} markets`;
  return `${shape}, ${users} users x ${orders} orders, ${where}, floating ${floating}, seed ${seed}`;
}

function fileName(config) {
  return Object.entries(config)
    .map(([key, value]) => `${key}-${value}`)
    .join('_');
}

function generatorHash() {
  return createHash('sha256').update(readFileSync(generator)).digest('hex').slice(0, 8);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of Object.keys(WORKLOADS)) process.stdout.write(`${workloadFile(name)}\n`);
}
