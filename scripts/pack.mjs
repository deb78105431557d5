/**
 * `npm run pack`: builds the three packages for a machine without Rust, in `dist/packages`, for
 * this machine's platform. `node scripts/pack.mjs FOLDER` packs the existing build into another
 * folder.
 *
 * `@slotbook/core` contains the addon, the loader of @napi-rs/cli and the library `LiveBook`.
 * `slotbook` bundles parts of two packages: the native files of uWebSockets.js for this platform, with checked hashes, because
 * the package has 260 MB for all platforms; and two files of swagger-ui-dist, of 12 MB, without its
 * dependency on an install script that reports installations.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { localCommand, root } from './process.mjs';
import { assertKnownNatives, nativeFiles } from './uwebsockets.mjs';

/** The ABI version of Node.js 20, the oldest version in `engines`. */
const ABI_MIN = 115;
/** The bundled files, besides the native files and the manifest. */
const BUNDLED = {
  'uWebSockets.js': ['LICENSE', 'source_commit', 'uws.js'],
  'swagger-ui-dist': [
    'LICENSE',
    'NOTICE',
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
    'swagger-ui.css',
  ],
};
/** The entry of the library in `@slotbook/core`. */
const LIBRARY = './lib/src/app/live-book';
/** npm refuses to install on other platforms; otherwise the start would fail. */
const PLATFORM = {
  os: [process.platform],
  cpu: [process.arch],
  ...(process.platform === 'linux' && { libc: ['glibc'] }),
};

const readManifest = (folder) =>
  JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));

/** Copies files of a repository folder to `to`, with the manifest changed by `change`. */
function stageFiles({ folder, to, names, change }) {
  for (const name of names) {
    const target = path.join(to, name);
    cpSync(path.join(root, folder, name), target, { recursive: true, dereference: true });
  }
  const manifest = { ...readManifest(folder), ...change };
  writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The native core, and the library that follows a chain with it: `src/app/live-book.ts`. */
function stageCore(to) {
  const folder = 'crates/node';
  const lib = path.join(to, 'lib');
  const compile = ['--project', 'tsconfig.core.json', '--outDir', lib];
  execFileSync(localCommand('tsc'), compile, { cwd: root, stdio: 'inherit' });
  const names = ['index.js', 'index.d.ts', ...nativeFiles(path.join(root, folder))];
  const { exports } = readManifest(folder);
  const entry = { types: `${LIBRARY}.d.ts`, default: `${LIBRARY}.js` };
  const change = {
    ...PLATFORM,
    dependencies: dependenciesOf(lib),
    exports: { '.': entry, ...exports },
  };
  stageFiles({ folder, to, names, change });
  cpSync(path.join(root, 'LICENSE'), path.join(to, 'LICENSE'));
}

/** The packages of the root that compiled modules import, with their versions. */
function dependenciesOf(folder) {
  const { dependencies } = readManifest('');
  const modules = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js'));
  const text = modules.map((name) => readFileSync(path.join(folder, name), 'utf8')).join('\n');
  const used = ([name]) => name !== '@slotbook/core' && text.includes(`from '${name}'`);
  return Object.fromEntries(Object.entries(dependencies).filter(used));
}

function stageService(to) {
  const names = readManifest('').files.filter((name) => !name.startsWith('!'));
  const change = { ...PLATFORM, bundleDependencies: Object.keys(BUNDLED) };
  stageFiles({ folder: '', to, names: [...names, 'LICENSE', 'README.md'], change });
  const natives = nativesOfPlatform();
  for (const [name, files] of Object.entries(BUNDLED)) {
    const folder = path.join('node_modules', name);
    const more = name === 'uWebSockets.js' ? natives : [];
    const change = { dependencies: {} };
    stageFiles({ folder, to: path.join(to, folder), names: [...files, ...more], change });
  }
  assertKnownNatives(path.join(to, 'node_modules', 'uWebSockets.js'), natives);
}

/** The native files of uWebSockets.js for each supported version of Node.js. */
function nativesOfPlatform() {
  const start = `uws_${process.platform}_${process.arch}_`;
  return nativeFiles(path.join(root, 'node_modules', 'uWebSockets.js')).filter(
    (name) => name.startsWith(start) && Number.parseInt(name.slice(start.length), 10) >= ABI_MIN,
  );
}

/** Packs folders into `out`; returns the name and the bytes of each file. */
function packFolders(folders, out) {
  mkdirSync(out, { recursive: true });
  const options = ['--json', '--ignore-scripts', '--offline', '--pack-destination', out];
  const said = execFileSync('npm', ['pack', ...options, ...folders], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(said).map(({ filename, size }) => ({ filename, size }));
}

const [, , folder = 'dist/packages', ...others] = process.argv;
if (folder.startsWith('-') || others.length > 0) {
  process.stderr.write('usage: npm run pack, or node scripts/pack.mjs FOLDER\n');
  process.exit(2);
}
const out = path.resolve(root, folder);
const stage = mkdtempSync(path.join(tmpdir(), 'slotbook-pack-'));
try {
  const [core, service] = ['core', 'service'].map((name) => path.join(stage, name));
  stageCore(core);
  stageService(service);
  const packed = packFolders([core, path.join(root, 'src/client'), service], out);
  for (const { filename, size } of packed)
    process.stdout.write(`${path.join(out, filename)} ${(size / 1e6).toFixed(1)} MB\n`);
  const names = packed.map(({ filename }) => `./${filename}`).join(' ');
  process.stdout.write(`\nInstall and start them:\n  npm install ${names}\n  npx slotbook demo\n`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
