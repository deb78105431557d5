/**
 * All set-up that a command needs on a fresh clone: `node scripts/setup.mjs NEED...` with the needs
 * `packages`, `packages-build` (without those of tests), `addon` (optimised for a short build), `addon-release` (for
 * speed), `dist`, `client` and `page`, and those of `clients.mjs`. What is there and fresh is left alone, which takes a few ms.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installLocked, installPython } from './clients.mjs';
import { commandExists, hostTriple, localCommand, root, run, runOrThrow } from './process.mjs';
import {
  hashInputs,
  installIsStale,
  isStale,
  lacksOptional,
  lockIsStale,
  markFresh,
} from './stale.mjs';
import { checkInstalledNatives } from './uwebsockets.mjs';

/** As `engines` of package.json says: what the tools of the build ask for. */
const NODE_MIN = { major: 20, minor: 19 };
const addonFolder = path.join(root, 'crates', 'node');

/** The set-up steps by the name under which a package script asks for them. */
const steps = {
  packages: () => installPackages([]),
  'packages-build': installBuildPackages,
  addon: () => buildAddon('setup'),
  'addon-release': () => buildAddon('release'),
  dist: compileTypeScript,
  client: compileClient,
  page: buildPage,
  peers: () => installLocked('bench/peers'),
  incumbents: () => installLocked('test/incumbents/installed'),
  driftpy: () => installPython('test/incumbents/installed'),
  ccxt: () => installLocked('examples/ccxt'),
};

/** What needs no addon is made while cargo compiles it, in this order: the page contains the client. */
const BESIDE_CARGO = ['dist', 'client', 'page'];
/** The packages of a build and a start. Those of tests alone are of the workspace `test/tools`. */
const BUILD_WORKSPACES = [
  '--include-workspace-root',
  '--workspace=crates/node',
  '--workspace=src/client',
  '--workspace=src/page',
];
/** npm writes it at the end of a complete install. */
const INSTALLED = path.join(root, 'node_modules', '.package-lock.json');

async function takeSteps(needs) {
  for (const need of needs) await steps[need]();
}

/** One that fails waits for the other, which would otherwise write on behind the message. */
async function finishBoth(one, other) {
  const ends = await Promise.allSettled([one, other]);
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

/** Before anything is done: who lacks a compiler is not to wait for the packages first. */
function checkTools(needs) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const missing = [];
  if (major < NODE_MIN.major || (major === NODE_MIN.major && minor < NODE_MIN.minor)) {
    const wanted = `Node.js ${NODE_MIN.major}.${NODE_MIN.minor} or newer`;
    missing.push(`${wanted} (this is ${process.versions.node})`);
  }
  const compiles = needs.some((need) => need.startsWith('addon'));
  if (compiles && !commandExists('cargo'))
    missing.push('cargo (Rust 1.88 or newer: https://rustup.rs)');
  if (compiles && !commandExists('cc'))
    missing.push('cc (a C compiler; Debian: apt-get install build-essential)');
  if (missing.length > 0) throw new Error(`missing on this machine: ${missing.join('; ')}`);
}

/**
 * `npm install` and not `npm ci`: the latter refuses a lock file without the optional packages of
 * every other platform, and not every registry carries them all. What npm has in its cache is not
 * asked for again, unless its list of versions is older than the lock: then npm fails, or leaves an optional package out.
 */
async function installPackages(filters) {
  if (!lockIsStale() && !installIsStale()) return;
  say('installing the npm packages: npm install');
  const args = ['install', '--no-progress', ...filters];
  const { code } = await run('npm', [...args, '--prefer-offline']);
  if (code !== 0 || lacksOptional()) await runOrThrow('npm', args);
}

/** Whoever has all packages is content with them. */
async function installBuildPackages() {
  const inputs = ['package-lock.json', 'node_modules/.package-lock.json'];
  const hash = () => hashInputs({ inputs, keep: () => true });
  if (!lockIsStale() && !isStale('packages-build', hash(), existsSync(INSTALLED))) return;
  await installPackages(BUILD_WORKSPACES);
  markFresh('packages-build', hash());
}

/** One core is idle while npm installs: cargo compiles what the binding stands on, as `napi build` would. */
async function compileCrates(needs) {
  if (!needs.includes('addon') || existsSync(INSTALLED) || addonFiles().length > 0) return;
  const host = process.env['CARGO_BUILD_TARGET'] ?? hostTriple();
  const crates = ['--package=slotbook-wire', '--package=slotbook-journal'];
  say('compiling the crates below the Rust core meanwhile: cargo build');
  await runOrThrow('cargo', ['build', '--profile=setup', `--target=${host}`, ...crates]);
}

/** One file for both profiles: whoever asks for the quick build is content with the other. */
async function buildAddon(profile) {
  const isFresh = (name) => !isStale('addon', hashOfAddon(name), addonFiles().length > 0);
  if (isFresh('release') || (profile === 'setup' && isFresh('setup'))) return;
  say(
    `building the Rust core: napi build --profile ${profile} (up to five minutes the first time)`,
  );
  const options = ['--platform', '--profile', profile, '--cwd', addonFolder];
  await runOrThrow(localCommand('napi'), ['build', ...options]);
  markFresh('addon', hashOfAddon(profile));
}

function hashOfAddon(profile) {
  return hashInputs({
    inputs: ['Cargo.toml', 'Cargo.lock', 'crates'],
    keep: (name) => /\.(rs|toml|json)$/.test(name),
    salt: `${process.platform} ${process.arch} ${profile}`,
  });
}

function addonFiles() {
  return readdirSync(addonFolder).filter((name) => name.endsWith('.node'));
}

/** Types are not checked, which `npm test` does: it is three fifths of the time. */
async function compileTypeScript() {
  const hash = hashInputs({
    inputs: ['src', 'docs/schemas', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'],
    keep: (name) => name.endsWith('.ts') || name.endsWith('.json'),
  });
  const dist = path.join(root, 'dist');
  if (isStale('dist', hash, distExists(dist))) {
    say('compiling TypeScript: tsc');
    for (const name of ['src', 'docs/schemas']) {
      rmSync(path.join(dist, name), { recursive: true, force: true });
    }
    await runOrThrow(localCommand('tsc'), ['--project', 'tsconfig.build.json']);
    markFresh('dist', hash);
  }
  writeFileSync(path.join(dist, 'build-info.json'), `${JSON.stringify({ commit: commit() })}\n`);
}

/** The client library has a compiler setting of its own: it knows neither Node nor its types. */
async function compileClient() {
  const inputs = ['src/client', 'tsconfig.json', 'package-lock.json'];
  const keep = (name) => name.endsWith('.ts') || name.endsWith('.json');
  const dist = path.join(root, 'src', 'client', 'dist');
  const hash = hashInputs({ inputs, keep });
  if (!isStale('client', hash, existsSync(path.join(dist, 'index.js')))) return;
  say('compiling the client library: tsc');
  rmSync(dist, { recursive: true, force: true });
  await runOrThrow(localCommand('tsc'), ['--project', 'src/client/tsconfig.build.json']);
  markFresh('client', hash);
}

/** The page, from its sources and the compiled client library, as files that the service reads at its start. */
async function buildPage() {
  const hash = hashInputs({
    inputs: ['src/page', 'src/client', 'package-lock.json'],
    keep: (name) => /\.(ts|svelte|css|html|json|mjs)$/.test(name) && !name.endsWith('.test.ts'),
  });
  const page = path.join(root, 'dist', 'page', 'index.html');
  if (!isStale('page', hash, existsSync(page))) return;
  say('building the page: vite build');
  await runOrThrow(localCommand('vite'), ['build', '--logLevel', 'warn', 'src/page']);
  markFresh('page', hash);
}

/** The commit of this checkout; null outside a checkout. */
function commit() {
  try {
    const options = { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' };
    return execFileSync('git', ['rev-parse', 'HEAD'], options).trim();
  } catch {
    return null;
  }
}

function distExists(dist) {
  try {
    return readdirSync(path.join(dist, 'src', 'app')).includes('cli.js');
  } catch {
    return false;
  }
}

try {
  const needs = process.argv.slice(2);
  checkTools(needs);
  const unknown = needs.find((need) => steps[need] === undefined);
  if (unknown !== undefined) throw new Error(`unknown need ${unknown}`);
  const isBeside = (need) => BESIDE_CARGO.includes(need);
  const packages = needs.filter((need) => need.startsWith('packages'));
  await finishBoth(takeSteps(packages), compileCrates(needs));
  if (packages.length > 0) checkInstalledNatives();
  await finishBoth(
    takeSteps(needs.filter((need) => !packages.includes(need) && !isBeside(need))),
    takeSteps(needs.filter(isBeside)),
  );
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
