/** The systemd unit and the container file of `ops` start a service. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { container, directive, instruction, readInRoot, root } from '../support/ops-files.js';
import { until } from '../support/until.js';

/** The libraries that docs/deployment.md lists, as the folders that they lie in. */
const listed = [...readInRoot('docs/deployment.md').matchAll(/^\| `([\w./@-]+)\/[^`]*` \|/gm)].map(
  ([, name = '']) => `/${name.split('/*')[0]}/`,
);

/** The addons that a process has loaded; none where the system does not tell. */
function librariesOf(pid: number | undefined): readonly string[] {
  const maps = `/proc/${pid}/maps`;
  if (!existsSync(maps)) return [];
  return [...new Set(readFileSync(maps, 'utf8').match(/\/\S+\.node$/gm))];
}

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'slotbook-deployment-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

/** A running service: where its metrics are, and its process. */
interface Started {
  readonly url: string;
  readonly pid: number | undefined;
}

/**
 * Starts the service with the arguments of an operator, and those that make it possible here: no node, free
 * ports, a folder of the test. Waits until it has said where its metrics are.
 */
async function startWith(cli: string, args: readonly string[]): Promise<Started> {
  const here = ['--port', '0', '--metrics-port', '0', '--host', '127.0.0.1', '--data-dir', folder];
  const cluster = ['--rpc-url', 'http://127.0.0.1:9'];
  const child = spawn(process.execPath, [cli, ...args, ...here, ...cluster], { cwd: folder });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const url = await until('the service prints its addresses', () => {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${errors}`);
    return /(http:\S+)\/metrics/.exec(output)?.[1];
  });
  return { url, pid: child.pid };
}

test('the unit starts a service that is alive', async () => {
  const [node, cli, ...args] = directive('ExecStart').split(/\s+/);
  expect([node, cli]).toEqual(['/usr/bin/node', '/opt/slotbook/dist/src/app/cli.js']);
  const { url } = await startWith(path.join(root, 'dist/src/app/cli.js'), args);
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test('the image has all that the service needs to start', async () => {
  const copies = [...container.matchAll(/^COPY --from=build \/build\/(\S+) \.\/(\S+)$/gm)];
  expect(copies.length).toBeGreaterThan(3);
  for (const [, from = '', to = ''] of copies) {
    expect(from).toBe(to);
    if (from === 'node_modules') symlinkSync(path.join(root, from), path.join(folder, to));
    else cpSync(path.join(root, from), path.join(folder, to), { recursive: true });
  }
  const [node, cli = ''] = instruction('ENTRYPOINT');
  expect(node).toBe('node');
  const { url, pid } = await startWith(path.join(folder, cli), instruction('CMD'));
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(librariesOf(pid).filter((file) => !listed.some((name) => file.includes(name)))).toEqual(
    [],
  );
});
