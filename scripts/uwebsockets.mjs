/**
 * Checks the native files of uWebSockets.js. The package is a third party's copy, so each file must
 * have a hash in `uwebsockets.json`, which also has the claimed version and commit of the original.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';
import { hashInputs, isStale, markFresh } from './stale.mjs';

const known = JSON.parse(readFileSync(path.join(root, 'scripts', 'uwebsockets.json'), 'utf8'));
const INSTALLED = path.join('node_modules', 'uWebSockets.js');
/** The file that this Node.js loads. */
const loaded = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

/** The native files in a folder of uWebSockets.js. */
export function nativeFiles(folder) {
  return readdirSync(folder).filter((name) => name.endsWith('.node'));
}

/** Checks all native files after an install, and the loaded file before each start; throws on a mismatch. */
export function checkInstalledNatives() {
  const inputs = ['scripts/uwebsockets.json', 'node_modules/.package-lock.json'];
  const hash = hashInputs({ inputs, keep: () => true });
  const folder = path.join(root, INSTALLED);
  const isNew = isStale('uwebsockets', hash, true);
  const names = nativeFiles(folder).filter((name) => isNew || name === loaded);
  assertKnownNatives(folder, names);
  markFresh('uwebsockets', hash);
}

/**
 * Throws unless the package in `folder` has the recorded version and commit, and all of `names`
 * have their hashes.
 */
export function assertKnownNatives(folder, names) {
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const commit = readFileSync(path.join(folder, 'source_commit'), 'utf8').trim();
  if (version !== known.version) refuse(`version ${version}`, `version ${known.version}`);
  if (commit !== known.upstream.commit) refuse(`commit ${commit}`, known.upstream.commit);
  for (const name of names) {
    const file = path.join(folder, name);
    const found = createHash('sha256').update(readFileSync(file)).digest('hex');
    const wanted = known.sha256[name] ?? 'no such file';
    if (found !== wanted) refuse(`${file} with sha256 ${found}`, wanted);
  }
}

function refuse(found, wanted) {
  throw new Error(
    `refused ${found} of uWebSockets.js: scripts/uwebsockets.json has ${wanted}. ` +
      'docs/deployment.md says how to compare it with the original',
  );
}
