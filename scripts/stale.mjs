/**
 * Finds missing and outdated build results. A step is up to date when the hash of its inputs equals
 * the stored hash of its last successful run, and its output exists. Modification times are not
 * used, because a checkout changes them without changing files.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

const stampFolder = path.join(root, '.cache', 'setup');
const skippedFolders = new Set(['node_modules', 'target', 'dist', '.git']);

/** All files in `start` (a file or a folder, relative to the root) that `keep` accepts. */
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

/** A hash of all inputs' names and bytes, and of `salt`. */
export function hashInputs({ inputs, keep, salt = '' }) {
  const hash = createHash('sha256').update(salt);
  const files = inputs.flatMap((input) => filesBelow(input, keep)).sort();
  for (const file of files) {
    const bytes = readFileSync(path.join(root, file));
    hash.update(`\0${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Whether `step` must run: its hash differs, or its output is missing. */
export function isStale(step, hash, outputExists) {
  const stamp = path.join(stampFolder, step);
  if (!outputExists || !existsSync(stamp)) return true;
  return readFileSync(stamp, 'utf8') !== hash;
}

/** Stores the hash of a successful run. */
export function markFresh(step, hash) {
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(path.join(stampFolder, step), hash);
}

/**
 * Whether node_modules differs from package-lock.json.
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

/** Whether an optional dependency for this platform is missing or has another version than the lock file. */
export function lacksOptional() {
  const wanted = readJson('package-lock.json')?.packages ?? {};
  const found = readJson(path.join('node_modules', '.package-lock.json'))?.packages ?? {};
  return Object.keys(wanted['']?.optionalDependencies ?? {}).some((name) => {
    const { os, cpu, version } = wanted[`node_modules/${name}`] ?? {};
    const isForThis = (os ?? []).includes(process.platform) && (cpu ?? []).includes(process.arch);
    return isForThis && found[`node_modules/${name}`]?.version !== version;
  });
}

/** Whether package.json, of the root or a workspace, names dependencies missing in package-lock.json. */
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
