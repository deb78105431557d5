/**
 * Installs the Debian packages that the build and the README's examples use, as root. Does nothing when their
 * commands are there already; on another system it names what is missing.
 */
import { commandExists, runOrThrow } from './process.mjs';

/** Command -> Debian package, and what uses it. */
const tools = [
  { command: 'cc', package: 'build-essential' }, // links the Rust core
  { command: 'curl', package: 'curl' }, // the README's examples
];

const missing = tools.filter((tool) => !commandExists(tool.command)).map((tool) => tool.package);

if (missing.length === 0) {
  process.stdout.write('test tools: all there\n');
} else if (process.getuid?.() !== 0 || !commandExists('apt-get')) {
  process.stderr.write(`test tools: install as root: apt-get install ${missing.join(' ')}\n`);
  process.exitCode = 1;
} else {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await runOrThrow('apt-get', ['update'], { env });
  await runOrThrow('apt-get', ['install', '-y', '--no-install-recommends', ...missing], { env });
}
