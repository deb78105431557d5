/**
 * Bundles the simulation with esbuild: the real modules of `src`, with stand-ins for modules that
 * access the network, disks or clocks.
 */
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { build, transformSync } from 'esbuild';
import { root } from './process.mjs';

const folder = path.join(root, 'test/simulation');
const standIn = (name) => path.join(folder, 'stand-ins', name);

/** The replaced imports and files. */
const replacedPackages = {
  ws: 'ws.ts',
  libsql: 'libsql.ts',
  '@slotbook/core/native': 'addon.ts',
  'node:http2': 'http2.ts',
};
const replacedFiles = {
  'src/history/worker-link.ts': 'worker-link.ts',
  'src/server/metrics/timings.ts': 'timings.ts',
  'src/server/transport/uws.ts': 'uws.ts',
};

/** Modules as they were before a repair. */
const unrepairedFiles = {
  'src/feed/connection/absences.ts': '../unrepaired/absences.ts',
  'src/feed/connection/log-witness.ts': '../unrepaired/log-witness.ts',
  'src/feed/connection/pace-check.ts': '../unrepaired/pace-check.ts',
  'src/feed/model/spoilers.ts': '../unrepaired/spoilers.ts',
  'src/feed/connection/suspects.ts': '../unrepaired/suspects.ts',
  'src/feed/connection/takeover-check.ts': '../unrepaired/takeover-check.ts',
  'src/feed/model/chain-clock.ts': '../unrepaired/chain-clock.ts',
  'src/feed/model/clock-lead.ts': '../unrepaired/clock-lead.ts',
  'src/feed/model/slot-window.ts': '../unrepaired/slot-window.ts',
  'src/history/ingest/ungiven-items.ts': '../unrepaired/ungiven-items.ts',
  'src/history/worker/retention.ts': '../unrepaired/retention.ts',
};

const standIns = (replacedFiles) => ({
  name: 'stand-ins',
  setup({ onResolve }) {
    const filter = new RegExp(`^(${Object.keys(replacedPackages).join('|')})$`);
    onResolve({ filter }, ({ path: name, importer }) => {
      if (importer.startsWith(path.join(folder, 'stand-ins')))
        return { path: name, external: true };
      return { path: standIn(replacedPackages[name]) };
    });
    onResolve({ filter: /^\..*\.js$/ }, ({ path: name, resolveDir, importer }) => {
      if (importer.startsWith(folder)) return undefined;
      const file = path.relative(root, path.join(resolveDir, name)).replace(/\.js$/, '.ts');
      const replaced = replacedFiles[file];
      return replaced === undefined ? undefined : { path: standIn(replaced) };
    });
  },
});

/**
 * Writes the bundle; returns its path and its modules of `src`. `isUnrepaired` uses the modules of
 * `test/simulation/unrepaired`.
 */
export async function bundleSimulation({ isUnrepaired = false } = {}) {
  const name = isUnrepaired ? 'unrepaired.mjs' : 'main.mjs';
  // The folder has the depth of a compiled room, whose modules find `docs` relative to themselves.
  const outfile = path.join(root, 'dist/simulation/bundle', name);
  const files = { ...replacedFiles, ...(isUnrepaired ? unrepairedFiles : {}) };
  // Another run may load the bundle meanwhile: it is replaced as a whole.
  const written = `${outfile}.${process.pid}`;
  const { metafile } = await build({
    entryPoints: [path.join(folder, 'main.ts')],
    outfile: written,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    metafile: true,
    sourcemap: 'inline',
    plugins: [standIns(files)],
    logLevel: 'warning',
  });
  renameSync(written, outfile);
  const modules = Object.keys(metafile.inputs).filter((name) => name.startsWith('src/'));
  return { outfile, modules };
}

/** Lists the folders with bundled modules, a line each, with the modules that are not bundled. */
export function listFolders(modules) {
  const running = new Set(modules);
  const folders = [...new Set(modules.map((name) => path.dirname(name)))].sort();
  return folders.map((folder) => {
    const missing = readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'testing.ts')
      .filter(
        (name) => !running.has(`${folder}/${name}`) && hasCode(path.join(root, folder, name)),
      );
    return missing.length === 0 ? `${folder}: all` : `${folder}: all but ${missing.join(', ')}`;
  });
}

/** Whether a module contains code, not only types. */
function hasCode(file) {
  const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts' });
  return code.replace('export {};', '').trim() !== '';
}
