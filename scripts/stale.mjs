/**
 * What is missing or stale. A build step is fresh when the hash of everything it reads equals the
 * hash written down after its last good run, and its output is still there. Hashes are used because
 * a checkout rewrites modification times without changing a byte.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

const stampFolder = path.join(root, '.cache', 'setup');
const skippedFolders = new Set(['node_modules', 'target', 'dist', '.git']);

/** All files below `start` (a file or a folder, relative to the root) that `keep` accepts. */
function filesBelow(start, keep) {
  const full = path.join(root, start);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [start];
  const found = [];
  for (const entry of readdirSync(full, { withFileTypes: true })) {
    const name = path.join(start, entry.name);
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name)) found.push(...filesBelow(name, keep));
    } else if (keep(entry.name)) {
      found.push(name);
    }
  }
  return found;
}

/** A hash over the names and bytes of all inputs, and over `salt`. */
export function hashInputs({ inputs, keep, salt = '' }) {
  const hash = createHash('sha256').update(salt);
  const files = inputs.flatMap((input) => filesBelow(input, keep)).sort();
  for (const file of files) {
    const bytes = readFileSync(path.join(root, file));
    hash.update(`\0${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Whether `step` has to run again: another hash, or an output that is gone. */
export function isStale(step, hash, outputExists) {
  const stamp = path.join(stampFolder, step);
  if (!outputExists || !existsSync(stamp)) return true;
  return readFileSync(stamp, 'utf8') !== hash;
}

/** Writes down that `step` has run for these inputs. */
export function markFresh(step, hash) {
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(path.join(stampFolder, step), hash);
}

/**
 * Whether node_modules holds what package-lock.json asks for.
 *
 * npm writes node_modules/.package-lock.json at the end of a complete install, so an interrupted
 * one counts as missing. Optional packages of other platforms may be absent.
 */
export function installIsStale() {
  const wanted = readJson('package-lock.json');
  const found = readJson(path.join('node_modules', '.package-lock.json'));
  if (wanted === undefined || found === undefined) return true;
  return Object.entries(wanted.packages).some(([name, entry]) => {
    if (!name.includes('node_modules/')) return false;
    const installed = found.packages[name];
    if (installed === undefined) return entry.optional !== true && entry.devOptional !== true;
    return installed.version !== entry.version;
  });
}

/** Whether an optional dependency of the root that this machine can run is absent, or of another version than is locked. */
export function lacksOptional() {
  const wanted = readJson('package-lock.json')?.packages ?? {};
  const found = readJson(path.join('node_modules', '.package-lock.json'))?.packages ?? {};
  return Object.keys(wanted['']?.optionalDependencies ?? {}).some((name) => {
    const { os, cpu, version } = wanted[`node_modules/${name}`] ?? {};
    const isForThis = (os ?? []).includes(process.platform) && (cpu ?? []).includes(process.arch);
    return isForThis && found[`node_modules/${name}`]?.version !== version;
  });
}

/** Whether package.json, of the root or of a workspace, names dependencies that package-lock.json does not hold. */
export function lockIsStale() {
  const locked = readJson('package-lock.json')?.packages;
  if (locked === undefined) return true;
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies'];
  return ['', ...readJson('package.json').workspaces].some((folder) => {
    const wanted = readJson(path.join(folder, 'package.json'));
    const held = locked[folder] ?? {};
    return groups.some((group) => sortedText(wanted[group]) !== sortedText(held[group]));
  });
}

function sortedText(record = {}) {
  return JSON.stringify(Object.entries(record).sort());
}

function readJson(file) {
  const full = path.join(root, file);
  return existsSync(full) ? JSON.parse(readFileSync(full, 'utf8')) : undefined;
}
