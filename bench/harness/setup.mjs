/** Installs the Rust benches and the peers before a measurement. */
import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EngineProcess } from './engine-process.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const peers = path.join(root, 'bench', 'peers');
const target = process.env['CARGO_TARGET_DIR'] ?? path.join(root, 'target');

/** The SDK needs this much for 200,000 orders, and no more than this. */
const SDK_HEAP_MB = 4096;
/** Results of a suite: some kilobytes a measurement. */
const SUITE_OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

function say(text) {
  process.stderr.write(`bench: ${text}\n`);
}

/** Builds the Rust benches and installs the peers. */
export function setUp() {
  buildCore();
  installPeers();
}

let isCoreBuilt = false;

/** Builds the Rust benches, once. */
export function buildCore() {
  if (isCoreBuilt) return;
  isCoreBuilt = true;
  say('building the core benches');
  const build = ['build', '--quiet', '--release', '--package', 'slotbook-bench'];
  execFileSync('cargo', build, { cwd: root, stdio: 'inherit' });
}

/** The path of a program of the Rust benches, which are built if need be. */
export function coreBinary(name) {
  buildCore();
  return path.join(target, 'release', name);
}

/** Installs the peers where that is missing. */
export function installPeers() {
  const setUpScript = path.join(root, 'scripts', 'setup.mjs');
  execFileSync(process.execPath, [setUpScript, 'peers'], { stdio: 'inherit' });
}

/** The engines by the names that rows use. */
export function startEngines() {
  const worker = path.join(peers, 'sdk-worker.mjs');
  return {
    core: startCore(),
    sdk: new EngineProcess(process.execPath, [
      '--expose-gc',
      `--max-old-space-size=${SDK_HEAP_MB}`,
      worker,
    ]),
  };
}

/** The Rust benches alone. */
export function startCore() {
  return new EngineProcess(path.join(target, 'release', 'slotbook-bench'), []);
}

/** Runs the counting allocator: `verb` is `memory` or `steady`. */
export function countAllocations(verb, file) {
  const binary = path.join(target, 'release', 'slotbook-bench-memory');
  return JSON.parse(execFileSync(binary, [verb, file], { encoding: 'utf8' }));
}

/** Runs a suite in a process of its own; its lines are results. */
export async function runSuite(file, rounds) {
  const args = ['--expose-gc', `--max-old-space-size=${SDK_HEAP_MB}`, path.join(root, file)];
  const options = { cwd: root, maxBuffer: SUITE_OUTPUT_BYTES_MAX };
  const { stdout } = await promisify(execFile)(process.execPath, [...args, `${rounds}`], options);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
