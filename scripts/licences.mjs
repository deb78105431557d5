/**
 * Prints docs/licences.md: every package and crate of a running service, with its licence. It reads
 * package-lock.json and `cargo tree`, so it lists the locked versions.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

/**
 * Packages whose package.json has no licence or a wrong one: the licence in their LICENSE file,
 * read by hand.
 */
const READ_BY_HAND = {
  eyes: 'MIT',
  'text-encoding-utf-8': 'Unlicense',
  uwebsockets: 'Apache-2.0',
};

/** The platform of the listed crates; other platforms differ only in system bindings. */
const PLATFORM = 'x86_64-unknown-linux-gnu';

const HEAD = `# slotbook: licences

What a running service consists of, beside Node.js: the npm packages of the service and the crates in its addon, as the lock files
have them. Written by \`scripts/licences.mjs\`; \`UPDATE_GOLDEN=1 npx vitest run test/process/build.test.ts\` writes it anew.
A star marks a licence that was read from the package's LICENSE file, because its package.json names none or another one.

- \`rpc-websockets\` (LGPL-3.0-only) comes with \`@solana/web3.js\`, whose connections the service does not use. It is installed as a
  package of its own and can be replaced by another version of it.
- The scripts of the page contain \`svelte\`, \`uplot\` and \`fancy-canvas\`, all MIT, and \`lightweight-charts\`, Apache-2.0, whose notice the page shows.
- \`libsql\` contains SQLite, which is in the public domain. The \`zstd-sys\` crate contains zstd, BSD-3-Clause.
- \`@solana/surfpool-*\` is the local chain of the demo, and optional: \`npm install --omit=optional\` leaves it out, and
  with it \`@libsql/*\`, which the history needs.
`;

function row(name, version, licence) {
  return `| ${name} | ${version} | ${licence} |`;
}

/** A table of rows, sorted by name without duplicates. */
function table(title, rows) {
  const head = `\n## ${title}\n\n| Name | Version | Licence |\n|---|---|---|\n`;
  return `${head}${[...new Set(rows)].sort().join('\n')}\n`;
}

/** The npm packages of the running service, without build and test tools. */
function npmRows() {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(lock.packages).filter(
    ([place, { dev, link }]) => place.startsWith('node_modules/') && !dev && !link,
  );
  return installed.map(([place, { name, version, license }]) => {
    const known = name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const byHand = READ_BY_HAND[known];
    return row(known, version, byHand === undefined ? (license ?? 'none') : `${byHand} *`);
  });
}

/** The crates compiled into the addon, and the crates of its build. */
function crateRows() {
  const args = ['tree', '--locked', '--package', 'slotbook-node', '--edges', 'normal,build'];
  const shape = ['--target', PLATFORM, '--prefix', 'none', '--format', '{p}|{l}'];
  const text = execFileSync('cargo', [...args, ...shape], { cwd: root, encoding: 'utf8' });
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('slotbook-'));
  return lines.map((line) => {
    const [, name, version] = /^(\S+) v([^\s|]+)/.exec(line);
    const licence = line.slice(line.indexOf('|') + 1).replace(/ \(\*\)$/, '');
    return row(name, version, licence.replaceAll('/', ' OR '));
  });
}

process.stdout.write(HEAD + table('npm packages', npmRows()) + table('Crates', crateRows()));
