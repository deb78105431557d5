/**
 * Installs the Debian packages for the build, the README's examples and some tests, as root. Does
 * nothing when they are installed; on another system it lists the missing ones.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { commandExists, runOrThrow } from './process.mjs';

/** Maps a command, file or Python module to its Debian package, with its use. */
const tools = [
  { command: 'cc', package: 'build-essential' }, // links the Rust core
  { command: 'curl', package: 'curl' }, // the README's examples
  { command: 'chromium', package: 'chromium' }, // a browser as a client
  { module: 'websockets', package: 'python3-websockets' }, // Python as a client
  { command: 'go', package: 'golang-go' }, // Go as a client
  { command: 'openssl', package: 'openssl' }, // the certificates of proxies
  { command: 'nginx', package: 'nginx' }, // the proxies of docs/proxies.md
  { command: 'caddy', package: 'caddy' },
  { command: 'haproxy', package: 'haproxy' },
  { command: 'valgrind', package: 'valgrind' }, // the instructions of hot operations
  { command: 'nats-server', package: 'nats-server' }, // the log of docs/scale.md
  { file: '/usr/lib/postgresql/15/bin/postgres', package: 'postgresql-15' }, // its history
];

// Debian installs servers in a folder that is not on an ordinary user's path.
process.env.PATH += ':/usr/sbin';

const missing = tools.filter((tool) => !exists(tool)).map((tool) => tool.package);

/** Debian's modules belong to Debian's Python, which may not be the first one on the path. */
function exists({ command, file, module }) {
  if (file !== undefined) return existsSync(file);
  if (command !== undefined) return commandExists(command);
  return (
    spawnSync('/usr/bin/python3', ['-c', `import ${module}`], { stdio: 'ignore' }).status === 0
  );
}

/** Debian asks this program whether an installed server may be started. */
const policy = '/usr/sbin/policy-rc.d';

/** Installs packages without starting their servers, now or at the next boot. */
async function install(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await runOrThrow('apt-get', ['update'], { env });
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await runOrThrow('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env });
  } finally {
    if (isOurs) rmSync(policy);
  }
  const servers = ['nginx', 'caddy', 'haproxy', 'nats-server'].filter((server) =>
    packages.includes(server),
  );
  if (packages.includes('postgresql-15')) servers.push('postgresql');
  for (const server of servers) spawnSync('systemctl', ['disable', server], { stdio: 'ignore' });
}

if (missing.length === 0) {
  process.stdout.write('test tools: all there\n');
} else if (process.getuid?.() !== 0 || !commandExists('apt-get')) {
  process.stderr.write(`test tools: install as root: apt-get install ${missing.join(' ')}\n`);
  process.exitCode = 1;
} else {
  await install(missing);
}
