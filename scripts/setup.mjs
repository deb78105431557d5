/**
 * All set-up that a command needs on a fresh clone: `node scripts/setup.mjs NEED...` with the needs
 * `packages`, `packages-build` (without those of tests), `addon` (optimised for a short build), `addon-release` (for
 * speed), `dist`, `client` and `page`, and those of `clients.mjs`. What is there and fresh is left alone, which takes a few ms.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installLocked, installPython } from './clients.mjs';
import { commandExists, hostTriple, localCommand, root, runOrThrow } from './process.mjs';
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

/** Runs what a step is about, and says when it begins and how long it took. */
async function make(what, command, args) {
  const startMs = performance.now();
  say(what);
  await runOrThrow(command, args);
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  say(`${what.split(':')[0]} took ${seconds} s`);
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
  const what = 'installing the npm packages: npm install';
  const args = ['install', '--no-progress', ...filters];
  const isInstalled = await make(what, 'npm', [...args, '--prefer-offline']).then(
    () => !lacksOptional(),
    () => false,
  );
  if (!isInstalled) await make(what, 'npm', args);
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
  const crates = ['--package=slotbook-core'];
  const args = ['build', '--profile=setup', `--target=${host}`, ...crates];
  await make('compiling the crates below the Rust core meanwhile: cargo build', 'cargo', args);
}

/** One file for both profiles: whoever asks for the quick build is content with the other. */
async function buildAddon(profile) {
  const isFresh = (name) => !isStale('addon', hashOfAddon(name), addonFiles().length > 0);
  if (isFresh('release') || (profile === 'setup' && isFresh('setup'))) return;
  const what = `building the Rust core: napi build --profile ${profile} (up to five minutes the first time)`;
  const args = ['build', '--platform', '--profile', profile, '--cwd', addonFolder];
  await make(what, localCommand('napi'), args);
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
    for (const name of ['src', 'docs/schemas']) {
      rmSync(path.join(dist, name), { recursive: true, force: true });
    }
    const args = ['--project', 'tsconfig.build.json'];
    await make('compiling TypeScript: tsc', localCommand('tsc'), args);
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
  rmSync(dist, { recursive: true, force: true });
  const args = ['--project', 'src/client/tsconfig.build.json'];
  await make('compiling the client library: tsc', localCommand('tsc'), args);
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
  const args = ['build', '--logLevel', 'warn', 'src/page'];
  await make('building the page: vite build', localCommand('vite'), args);
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
  const packages = needs.filter((need) => need.startsWith('packages'));
  const addons = needs.filter((need) => need.startsWith('addon'));
  // Nothing else needs the addon. The page contains the client, which every caller names before it.
  const others = needs.filter((need) => !packages.includes(need) && !addons.includes(need));
  const installed = takeSteps(packages).then(() => packages.length > 0 && checkInstalledNatives());
  await finishBoth(
    finishBoth(installed, compileCrates(needs)).then(() => takeSteps(addons)),
    installed.then(() => takeSteps(others)),
  );
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
