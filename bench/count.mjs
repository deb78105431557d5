/**
 * `npm run bench:count`: counts the instructions of hot operations with callgrind, and compares
 * them with the committed table. The counts depend on the compiler and not on other load. Exits
 * with 1 when one of them has grown by more than the limit; `-- --write` rewrites the table, in the
 * commit that makes something slower or faster.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hostTriple, root } from '../scripts/process.mjs';

const BINARY = 'slotbook-bench-count';
const COUNTED = 'slotbook_bench_count::counted';
const table = path.join(root, 'bench', 'results', 'instructions.json');
const target = process.env['CARGO_TARGET_DIR'] ?? path.join(root, 'target');

/** In percent. Another compiler generates other code, so only large differences are detected with it. */
const GROWTH_MAX = { sameCompiler: 3, otherCompiler: 30 };

/** Instructions of one run of each operation, by name. */
function countInstructions() {
  // Builds for a named target like the set-up's addon, so that common crates are compiled once.
  const triple = hostTriple();
  const what = ['--package', 'slotbook-bench', '--bin', BINARY];
  const build = ['build', '--quiet', '--profile', 'setup', '--target', triple, ...what];
  execFileSync('cargo', build, { cwd: root, stdio: 'inherit' });
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-count-'));
  try {
    const dumps = [
      `--zero-before=${COUNTED}`,
      `--dump-after=${COUNTED}`,
      '--callgrind-out-file=dump',
    ];
    const args = [
      '--tool=callgrind',
      '--quiet',
      ...dumps,
      path.join(target, triple, 'setup', BINARY),
    ];
    const output = execFileSync('valgrind', args, { cwd: folder, encoding: 'utf8' });
    const operations = output
      .trim()
      .split('\n')
      .map((line) => /^(.*) (\d+)$/.exec(line));
    const counts = operations.map(([, name, repeats], index) => {
      const dump = readFileSync(path.join(folder, `dump.${index + 1}`), 'utf8');
      return [name, Math.round(Number(/^totals: (\d+)$/m.exec(dump)[1]) / Number(repeats))];
    });
    return Object.fromEntries(counts);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compare(counted, committed) {
  const isSame = counted.compiler === committed.compiler;
  const limit = isSame ? GROWTH_MAX.sameCompiler : GROWTH_MAX.otherCompiler;
  if (!isSame)
    process.stdout.write(`the table is of ${committed.compiler}, this is ${counted.compiler}\n`);
  for (const [name, count] of Object.entries(counted.instructions)) {
    const before = committed.instructions[name];
    const growth = before === undefined ? Number.NaN : (100 * count) / before - 100;
    const isFine = growth <= limit;
    if (!isFine) process.exitCode = 1;
    const change = Number.isNaN(growth) ? 'new' : `${growth.toFixed(1)} %`;
    const verdict = isFine ? '' : ` above the limit of ${limit} %: --write, if it is to be`;
    process.stdout.write(
      `${String(count).padStart(10)}  ${change.padStart(7)}  ${name}${verdict}\n`,
    );
  }
}

const compiler = execFileSync('rustc', ['--version'], { encoding: 'utf8' }).trim();
const counted = { compiler, instructions: countInstructions() };
if (process.argv.includes('--write')) writeFileSync(table, `${JSON.stringify(counted, null, 2)}\n`);
compare(counted, JSON.parse(readFileSync(table, 'utf8')));
