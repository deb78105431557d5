/**
 * Builds the Geyser plugin of `test/geyser`, which takes up to half an hour the first time, and
 * runs the test of its chain. Surfpool calls the plugin with Rust's own ABI, so both must be built
 * by one compiler.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { localCommand, root, runOrThrow } from './process.mjs';

const folder = path.join(root, 'test', 'geyser');
const buildFolder = path.join(root, 'target', 'geyser');
const chainFolder = path.join(root, 'node_modules', '@solana', 'surfpool-linux-x64-gnu');

/** The commit of the compiler that built Surfpool, read from paths in its messages. */
function compilerOfChain() {
  const name = readdirSync(chainFolder).find((file) => file.endsWith('.node'));
  const binary = readFileSync(path.join(chainFolder, name)).toString('latin1');
  return /\/rustc\/([0-9a-f]{40})\//.exec(binary)?.[1];
}

/** The commit of the compiler that cargo uses in the plugin's folder. */
function compilerHere() {
  const text = execFileSync('rustc', ['-vV'], { cwd: folder, encoding: 'utf8' });
  return /^commit-hash: (\w+)$/m.exec(text)?.[1];
}

if (!existsSync(chainFolder)) {
  throw new Error(`platform was ${process.platform}-${process.arch}, must be linux-x64`);
}
const [wanted, found] = [compilerOfChain(), compilerHere()];
if (wanted !== found) {
  const advice = 'RUSTUP_TOOLCHAIN names another one, such as 1.95.0';
  throw new Error(`rustc was ${found}, must be that of Surfpool, ${wanted}; ${advice}`);
}
const manifest = ['--manifest-path', path.join(folder, 'Cargo.toml')];
await runOrThrow('cargo', ['fmt', '--check', ...manifest]);
const build = ['build', '--release', '--locked', '--target-dir', buildFolder];
await runOrThrow('cargo', [...build, ...manifest]);
const env = {
  LONG: '1',
  GEYSER_PLUGIN: path.join(buildFolder, 'release', 'libslotbook_geyser.so'),
};
const vitest = ['run', '--testTimeout', '900000', 'test/long/geyser.test.ts'];
await runOrThrow(localCommand('vitest'), vitest, { env, echo: 'stdout' });
