/**
 * Fuzzes every target of `test/fuzz`, ten minutes each: `npm run test:long -- fuzz`. FUZZ_SECONDS
 * sets another time, FUZZ selects targets by a part of their names, and KEEP=1 minimises the stored
 * corpora.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commandExists, hostTriple, root, run, runOrThrow } from './process.mjs';

/** Lets the stable compiler use an unstable option: instrumentation. */
const UNSTABLE = { RUSTC_BOOTSTRAP: '1' };
const CARGO_FUZZ = 'cargo-fuzz@0.13.2';
const FUZZ_SECONDS = Number(process.env.FUZZ_SECONDS ?? 600);
/** No target needs more memory; a target that does has trusted a length in its input. */
const RSS_MIB_MAX = 2_048;
/** An input that takes longer is a finding, even on a busy machine. */
const INPUT_SECONDS_MAX = 60;

const fuzzFolder = path.join(root, 'test', 'fuzz');
const buildFolder = path.join(root, 'target', 'fuzz');
const work = path.join(buildFolder, 'work');

/** Installs cargo-fuzz into target unless it is on the path. Returns its command. */
async function cargoFuzz() {
  if (commandExists('cargo-fuzz')) return 'cargo-fuzz';
  const installed = path.join(buildFolder, 'cargo-fuzz');
  await runOrThrow('cargo', ['install', '--locked', '--root', installed, CARGO_FUZZ]);
  return path.join(installed, 'bin', 'cargo-fuzz');
}

/** Compiles the targets with instrumentation. Returns the program. */
async function buildTargets() {
  const command = await cargoFuzz();
  const folder = path.join(fuzzFolder, 'libfuzzer');
  const args = ['fuzz', 'build', '--fuzz-dir', folder, '--target-dir', buildFolder, 'targets'];
  await runOrThrow(command, args, { env: UNSTABLE });
  return path.join(buildFolder, hostTriple(), 'release', 'targets');
}

/** Each target, and its input length. */
async function targetsOf() {
  const args = ['run', '--quiet', '--release', '-p', 'slotbook-fuzz', '--bin', 'targets'];
  const { code, stdout } = await run('cargo', args, { echo: 'nowhere' });
  if (code !== 0) throw new Error('the targets could not be listed');
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
}

/** Runs libFuzzer once. Its folders: new inputs, stored inputs, seeds. */
async function fuzz(program, name, inputBytesMax, folders) {
  const artifacts = `${path.join(buildFolder, 'artifacts', name)}-`;
  const log = path.join(buildFolder, `${name}.log`);
  const command = `"$@" 2> ${JSON.stringify(log)}`;
  const args = [
    `-max_total_time=${FUZZ_SECONDS}`,
    `-max_len=${inputBytesMax}`,
    `-rss_limit_mb=${RSS_MIB_MAX}`,
    `-timeout=${INPUT_SECONDS_MAX}`,
    `-artifact_prefix=${artifacts}`,
    '-print_final_stats=1',
  ];
  const { code } = await run('sh', ['-c', command, 'sh', program, ...folders, ...args], {
    env: { FUZZ_TARGET: name },
  });
  const text = readFileSync(log, 'utf8');
  const [, executions = '?'] = /number_of_executed_units: (\d+)/.exec(text) ?? [];
  const [coverage = '?'] = text.match(/cov: \d+ ft: \d+/g)?.slice(-1) ?? [];
  process.stdout.write(`fuzz ${name}: ${executions} executions, ${coverage}\n`);
  if (code !== 0) throw new Error(`${name} failed, see ${log} and ${artifacts}*`);
}

/** The stored inputs of a target: `corpora` are what was kept, `seeds` what fuzzing began with. */
const storedFile = (kind, name) => path.join(fuzzFolder, kind, `${name}.bin`);

/** An input of a stored file, prefixed by its length in 4 bytes, little-endian. */
function withLength(input) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(input.length);
  return [length, input];
}

/** Writes the stored inputs of a target as files. Returns their folder. */
function unpack(kind, name) {
  const folder = path.join(buildFolder, kind, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const stored = readFileSync(storedFile(kind, name));
  for (let at = 0; at < stored.length; ) {
    const end = at + 4 + stored.readUInt32LE(at);
    writeFileSync(path.join(folder, String(at)), stored.subarray(at + 4, end));
    at = end;
  }
  return folder;
}

/** Replaces a stored corpus by the fewest inputs that reach every edge reached by `folders`. */
async function keep(program, name, inputBytesMax, folders) {
  const merged = path.join(buildFolder, 'merged');
  rmSync(merged, { recursive: true, force: true });
  mkdirSync(merged);
  const args = ['-set_cover_merge=1', '-use_counters=0', `-max_len=${inputBytesMax}`, merged];
  await runOrThrow(program, [...args, ...folders], { env: { FUZZ_TARGET: name } });
  const inputs = readdirSync(merged).map((file) => readFileSync(path.join(merged, file)));
  inputs.sort((a, b) => a.length - b.length || a.compare(b));
  writeFileSync(storedFile('corpora', name), Buffer.concat(inputs.flatMap(withLength)));
}

const program = await buildTargets();
const targets = await targetsOf();
const asked = targets.filter(([name]) => name.includes(process.env.FUZZ ?? ''));
mkdirSync(path.join(buildFolder, 'artifacts'), { recursive: true });
for (const [name, inputBytesMax] of asked) {
  const found = path.join(work, name);
  mkdirSync(found, { recursive: true });
  const folders = [found, unpack('corpora', name), unpack('seeds', name)];
  await fuzz(program, name, inputBytesMax, folders);
  if (process.env.KEEP === '1') await keep(program, name, inputBytesMax, folders);
}
process.stdout.write(`${asked.length} passed, 0 failed\n`);
