/** The service on virtual time: random runs, scenarios by name, and what the simulation itself must be. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { SCENARIOS } from '../simulation/scenarios.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const modulesFile = new URL('../simulation/modules.txt', import.meta.url);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/** A hundred take two minutes of CPU: `npm run test:long -- merged-lies` has them. */
const SEEDS = Number(process.env['SIMULATION_SEEDS'] ?? 5);
/** On a chain of Velocity; the long form has as many. */
const VELOCITY_SEEDS = Number(process.env['SIMULATION_SEEDS'] ?? 2);
vi.setConfig({ testTimeout: 3_600_000 });

interface SeedReport {
  readonly seed: number;
  readonly violations: readonly string[];
}

/** Runs seeds in processes of their own. */
type RunShare = (
  share: { readonly program: readonly string[]; readonly from: number; readonly to: number },
  takeReport: (report: SeedReport) => void,
) => Promise<void>;

/** What the command prints; a run with a violation as well. */
async function simulate(...given: readonly string[]): Promise<string> {
  const command = promisify(execFile)(process.execPath, ['scripts/simulate.mjs', ...given], {
    cwd: root,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  const ended = await command.catch((error: { stdout?: string; stderr?: string }) => error);
  return `${ended.stdout}${ended.stderr}`;
}

describe('simulation', () => {
  // Specification: limit-latency.
  test(`${SEEDS} seeds go by without a violation, and one of them alone is the same run, byte by byte`, async () => {
    const report = await simulate('--seeds', String(SEEDS), '--workers', '1', '--hashes');
    expect(report).toMatch(
      new RegExp(`${SEEDS} seeds, .* virtual hours in .*, 0 with violations\n`),
    );
    // Of the whole record, whatever ran before it.
    const hashes = new Map(
      Array.from(report.matchAll(/^seed (\d+) hash ([0-9a-f]{16})$/gm), ([, seed, hash]) => [
        seed,
        hash,
      ]),
    );
    expect(new Set(hashes.values()).size).toBe(SEEDS);
    const record = await simulate('--seed', '3');
    expect(record).toMatch(/the book is live\n.*hash [0-9a-f]{16}, 0 violations\n$/s);
    expect(record).toContain(`hash ${hashes.get('3')},`);
  });

  test(`${VELOCITY_SEEDS} seeds go by on a chain of Velocity`, async () => {
    const given = ['--program', 'velocity', '--seeds', String(VELOCITY_SEEDS), '--workers', '1'];
    expect(await simulate(...given)).toMatch(/, 0 with violations\n/);
  });

  test('a seed that ends its process is a violation, and all others are run', async () => {
    const dying = `for (let seed = Number(process.argv[1]); seed <= Number(process.argv[2]); seed += 1) {
      if (seed === 3) process.kill(process.pid, 'SIGKILL');
      if (seed === 6) process.exit(7);
      console.log(JSON.stringify({ seed, violations: [] }));
    }`;
    const scripts = (await import(`${root}scripts/simulation-share.mjs`)) as { runShare: RunShare };
    const reports: SeedReport[] = [];
    const share = { program: ['-e', dying, '--'], from: 2, to: 6 };
    await scripts.runShare(share, (report) => reports.push(report));
    expect(reports.map(({ seed, violations }) => [seed, ...violations])).toEqual([
      [2],
      [3, 'the process ended with SIGKILL'],
      [4],
      [5],
      [6, 'the process ended with code 7'],
    ]);
  });

  test('the real modules that run in it are those of the list', async () => {
    const modules = await simulate('--modules');
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(modulesFile, modules);
    expect(readFileSync(modulesFile, 'utf8')).toBe(modules);
  });
});

describe('simulation: scenarios', () => {
  const repaired = SCENARIOS.filter(({ awaitsRepair }) => awaitsRepair !== true);
  /** One of each repair is the short form, and all that nodes and merged sources can do wrong the long one. */
  const isAll = process.env['SCENARIOS'] === 'all';
  const wanted = repaired.filter(({ isLong }) => isAll || isLong !== true);
  const form = isAll ? ['--long'] : [];

  test('nothing is violated in any of those that are repaired', async () => {
    const lines = wanted.map(({ name }) => `${name}: 0 violations\n`);
    expect(await simulate('--scenarios', ...form)).toBe(lines.join(''));
  });

  test('without its repair, where that is a setting or a module, each is found', async () => {
    const names = wanted.filter(({ without }) => without !== undefined).map(({ name }) => name);
    const lines = (await simulate('--scenarios', '--unrepaired', ...form)).trim().split('\n');
    const found = lines.map((line) => line.replace(/: \d+ violations$/, ''));
    expect(found.toSorted()).toEqual(names.toSorted());
    expect(lines.filter((line) => line.endsWith(': 0 violations'))).toEqual([]);
  });
});
