/**
 * `npm run golden -- DIR...`: checks the recorded answers of each folder against the core, in Rust
 * (test/golden), then against the TypeScript code (test/golden-ts), and prints one total.
 *
 * Exits non-zero when a case fails, when a folder cannot be read, or when no case was run.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, run } from './process.mjs';

const bundle = path.join(root, 'dist', 'golden-ts', 'run.mjs');
const cargoArgs = ['run', '--quiet', '--release', '--package', 'slotbook-golden', '--'];
const totalLine =
  /^total: (\d+) passed, (\d+) failed, (\d+) departed, (\d+) files, (\d+) not yet, (\d+) not ours$/;
const leftLine = /^(.+): left to test\/golden-ts: (.+)$/;

/** Bundles the TypeScript runner, so that every supported Node can load it. */
async function loadRunner() {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [path.join(root, 'test', 'golden-ts', 'run.ts')],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return import(pathToFileURL(bundle).href);
}

/** Runs a folder through the core: prints its lines, returns its counts and its output files. */
async function runCore(folder) {
  const { code, stdout } = await run('cargo', [...cargoArgs, folder], { echo: 'nowhere' });
  const left = new Map();
  let counts;
  for (const line of stdout.trimEnd().split('\n')) {
    const total = totalLine.exec(line);
    const file = leftLine.exec(line);
    if (total !== null) counts = total.slice(1).map(Number);
    else if (file !== null) left.set(file[1], file[2]);
    else print(line);
  }
  if (counts === undefined) throw new Error(`${folder}: the core's runner ended with code ${code}`);
  const [passed, failed, departed, files, notYet, notOurs] = counts;
  return { left, passed, failed, departed, files, notYet, notOurs };
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

function printReport({ file, family, passed, failed, notes }) {
  print(`${file} (${family}, in TypeScript): ${passed} passed, ${failed} failed`);
  for (const note of notes) print(`  ${note}`);
}

const sum = { passed: 0, failed: 0, departed: 0, files: 0, notYet: 0, notOurs: 0 };

async function runFolder(folder, runner) {
  const { left, ...core } = await runCore(folder);
  for (const key of Object.keys(sum)) sum[key] += core[key];
  for (const report of await runner.runFolder(path.resolve(root, folder))) {
    printReport(report);
    for (const key of ['passed', 'failed']) sum[key] += report[key];
    for (const file of [report.file, ...(report.covers ?? [])]) left.delete(file);
  }
  for (const [file, what] of left) {
    print(`${file}: not yet: ${what}`);
    sum.notYet += 1;
  }
}

const folders = process.argv.slice(2);
if (folders.length === 0) {
  process.stderr.write('usage: npm run golden -- DIR...\n');
  process.exitCode = 2;
} else {
  try {
    const runner = await loadRunner();
    for (const folder of folders) await runFolder(folder, runner);
    const { passed, failed, departed, files, notYet, notOurs } = sum;
    print(`files: ${files}, ${notYet} not yet, ${notOurs} not ours`);
    print(`total: ${passed} passed, ${failed} failed, ${departed} departed`);
    process.exitCode = failed > 0 || passed + departed === 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`golden: ${error.message}\n`);
    process.exitCode = 2;
  }
}
