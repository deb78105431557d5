/**
 * All set-up that a command needs on a fresh clone: `node scripts/setup.mjs NEED...` with the needs
 * `packages`, `packages-build` (without those of tests), `addon` (optimised for a short build),
 * `addon-release` (for speed), `dist`, `client`, `client-types` and `page`, and those of
 * `clients.mjs`. Up-to-date results are kept, which takes a few ms.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

/** The minimum in `engines` of package.json, which the build tools require. */
const NODE_MIN = { major: 20, minor: 19 };
const addonFolder = path.join(root, 'crates', 'node');
const CLIENT = path.join(root, 'src', 'client', 'dist');
/** Inputs of every compilation of TypeScript. */
const COMPILER = ['tsconfig.json', 'package-lock.json', 'scripts/transpile.mjs'];

/** The set-up steps by name, as package scripts request them. */
const steps = {
  packages: () => installPackages([]),
  'packages-build': installBuildPackages,
  addon: () => buildAddon('setup'),
  'addon-release': () => buildAddon('release'),
  dist: compileTypeScript,
  client: compileClient,
  'client-types': declareClient,
  page: buildPage,
  peers: () => installLocked('bench/peers'),
  incumbents: () => installLocked('test/incumbents/installed'),
  driftpy: () => installPython('test/incumbents/installed'),
  ccxt: () => installLocked('examples/ccxt'),
};

/** Packages of the build and the service. Packages of tests are in the workspace `test/tools`. */
const BUILD_WORKSPACES = [
  '--include-workspace-root',
  '--workspace=crates/node',
  '--workspace=src/client',
  '--workspace=src/page',
];
/** What cargo builds and the name under which Node loads it, by the targets of crates/node/package.json. */
const ADDONS = {
  'x86_64-unknown-linux-gnu': ['libslotbook_node.so', 'linux-x64-gnu'],
  'aarch64-unknown-linux-gnu': ['libslotbook_node.so', 'linux-arm64-gnu'],
  'aarch64-apple-darwin': ['libslotbook_node.dylib', 'darwin-arm64'],
};
/** The sources of the guide. */
const GUIDE = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs', 'src/client/README.md'],
  ...['scripts/guide.mjs', 'scripts/guide-list.mjs', 'src/page/guide'],
];
/** npm writes this file at the end of a complete install. */
const INSTALLED = path.join(root, 'node_modules', '.package-lock.json');

async function takeSteps(needs) {
  for (const need of needs) await steps[need]();
}

/** When one fails, waits for the other, which would otherwise write after the error message. */
async function finishBoth(one, other) {
  const ends = await Promise.allSettled([one, other]);
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

/** Runs a step's command, and prints its start and its duration. */
async function make(what, command, args) {
  say(what);
  await timed(what.split(':')[0], () => runOrThrow(command, args));
}

/** Runs a step, and prints its duration. */
async function timed(what, run) {
  const startMs = performance.now();
  await run();
  say(`${what} took ${Math.round((performance.now() - startMs) / 1_000)} s`);
}

/** Checks tools first: a missing compiler is reported before packages are installed. */
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
 * Uses `npm install`, because `npm ci` refuses a lock file without the optional packages of all
 * platforms, and some registries lack them. npm uses its cache; when the cached list of versions is
 * older than the lock file, npm fails or omits an optional package.
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

/** The complete installation includes the packages of a build. */
async function installBuildPackages() {
  const inputs = ['package-lock.json', 'node_modules/.package-lock.json'];
  const hash = () => hashInputs({ inputs, keep: () => true });
  if (!lockIsStale() && !isStale('packages-build', hash(), existsSync(INSTALLED))) return;
  await installPackages(BUILD_WORKSPACES);
  markFresh('packages-build', hash());
}

/**
 * cargo compiles the first addon while npm installs: `napi build` would wait for npm, and adds only
 * the committed declarations.
 */
async function compileFirstAddon(needs) {
  if (!needs.includes('addon') || existsSync(INSTALLED) || addonFiles().length > 0) return;
  const host = process.env['CARGO_BUILD_TARGET'] ?? hostTriple();
  const [library, addon] = ADDONS[host] ?? [];
  if (library === undefined) return;
  const args = ['build', '--profile=setup', `--target=${host}`, '--package=slotbook-node'];
  await make('building the Rust core: cargo build (up to five minutes)', 'cargo', args);
  const target = process.env['CARGO_TARGET_DIR'] ?? path.join(root, 'target');
  const built = path.join(target, host, 'setup', library);
  copyFileSync(built, path.join(addonFolder, `slotbook-node.${addon}.node`));
  markFresh('addon', hashOfAddon('setup'));
}

/** Both profiles write one file: a release build also satisfies a request for the quick build. */
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

/** Types are not checked here: `npm test` checks them. */
async function compileTypeScript() {
  const keep = (name) => name.endsWith('.ts') || name.endsWith('.json');
  const hash = hashInputs({ inputs: ['src', 'docs/schemas', ...COMPILER], keep });
  const dist = path.join(root, 'dist');
  if (isStale('dist', hash, distExists(dist))) {
    for (const name of ['src', 'docs/schemas']) {
      rmSync(path.join(dist, name), { recursive: true, force: true });
    }
    await strip('compiling TypeScript', { from: 'src', to: 'dist/src', maps: true });
    cpSync(path.join(root, 'docs/schemas'), path.join(dist, 'docs/schemas'), { recursive: true });
    markFresh('dist', hash);
  }
  writeFileSync(path.join(dist, 'build-info.json'), `${JSON.stringify({ commit: commit() })}\n`);
}

async function strip(what, { from, to, maps }) {
  const { transpile } = await import('./transpile.mjs');
  const keep = (name) =>
    !/^(page|client\/dist|dist)\/|node_modules|\.(test|type-test)\.ts$/.test(name);
  const places = { from: path.join(root, from), to: path.join(root, to) };
  await timed(what, () => transpile({ ...places, keep, maps }));
}

/** The modules of the client library, which run without its declarations. */
async function compileClient() {
  const hash = hashOfClient();
  if (!isStale('client', hash, existsSync(path.join(CLIENT, 'index.js')))) return;
  rmSync(CLIENT, { recursive: true, force: true });
  await strip('compiling the client library', {
    from: 'src/client',
    to: 'src/client/dist',
    maps: false,
  });
  markFresh('client', hash);
}

/** The declarations of the client library, which has its own compiler settings: without Node and its types. */
async function declareClient() {
  const hash = hashOfClient();
  if (!isStale('client-types', hash, existsSync(path.join(CLIENT, 'index.d.ts')))) return;
  const args = ['--project', 'src/client/tsconfig.build.json'];
  await make('declaring the types of the client library: tsc', localCommand('tsc'), args);
  markFresh('client-types', hash);
}

function hashOfClient() {
  const keep = (name) => name.endsWith('.ts') || name.endsWith('.json');
  return hashInputs({ inputs: ['src/client', ...COMPILER], keep });
}

/**
 * Builds the page from its sources and the compiled client library, as files that the service reads
 * at its start.
 */
async function buildPage() {
  const hash = hashInputs({
    inputs: ['src/page', 'src/client', 'package-lock.json'],
    keep: (name) => /\.(ts|svelte|css|html|json|mjs)$/.test(name) && !name.endsWith('.test.ts'),
  });
  const page = path.join(root, 'dist', 'page', 'index.html');
  if (isStale('page', hash, existsSync(page))) {
    const args = ['build', '--logLevel', 'error', 'src/page'];
    await make('building the page: vite build', localCommand('vite'), args);
    markFresh('page', hash);
  }
  await buildGuide();
}

/** The guide lies in the folder of the page, which a build of the page empties. */
async function buildGuide() {
  const hash = hashInputs({ inputs: GUIDE, keep: (name) => /\.(md|css|js|mjs)$/.test(name) });
  const first = path.join(root, 'dist', 'page', 'page', 'guide.html');
  if (!isStale('guide', hash, existsSync(first))) return;
  const guide = await import('./guide.mjs');
  say(`the guide has ${guide.buildGuide()} pages`);
  markFresh('guide', hash);
}

/** The commit of this checkout; null without a checkout. */
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
  // Only these steps need the addon. The page contains the client, which every caller requests
  // first.
  const others = needs.filter((need) => !packages.includes(need) && !addons.includes(need));
  const installed = takeSteps(packages).then(() => packages.length > 0 && checkInstalledNatives());
  await finishBoth(
    finishBoth(installed, compileFirstAddon(needs)).then(() => takeSteps(addons)),
    installed.then(() => takeSteps(others)),
  );
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
