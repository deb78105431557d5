/**
 * `node scripts/release-version.mjs vX.Y.Z`: fails unless every package has this version and
 * CHANGELOG.md has a section of it. With `--notes` it prints that section, for the release.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

const read = (name) => readFileSync(path.join(root, name), 'utf8');
const PACKAGES = ['', 'crates/node', 'src/client', 'src/page', 'test/tools'];

/** The versions of all packages, by the file that has each. */
function versions() {
  const manifests = PACKAGES.map((folder) => path.join(folder, 'package.json'));
  const ofNpm = manifests.map((name) => [name, JSON.parse(read(name)).version]);
  const ofToml = ['Cargo.toml', 'python/pyproject.toml'].map((name) => [
    name,
    /^version = "([^"]+)"$/m.exec(read(name))?.[1],
  ]);
  return [...ofNpm, ...ofToml];
}

/** The section of a version in CHANGELOG.md; undefined without one. */
function notesOf(version) {
  const sections = read('CHANGELOG.md').split('\n## ');
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  return section?.slice(section.indexOf('\n') + 1).trim();
}

/** What keeps a version from its release: packages of another version, or no section of it. */
export function faultsOf(version) {
  const others = versions().filter(([, found]) => found !== version);
  const faults = others.map(([name, found]) => `${name} has version ${found}, not ${version}`);
  return notesOf(version) === undefined
    ? [...faults, `CHANGELOG.md has no section [${version}]`]
    : faults;
}

if (process.argv[1] === import.meta.filename) {
  const [tag = '', flag] = process.argv.slice(2);
  const version = tag.replace(/^v/, '');
  const faults = faultsOf(version);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else if (flag === '--notes') console.log(notesOf(version));
}
