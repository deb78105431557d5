/** The systemd unit and the container file of `ops` start the service with flags that there are. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../support/until.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

/** Lines that a backslash continues are one. */
const joined = (text: string): string => text.replaceAll(/\\\n\s*/g, '');

const unit = joined(read('ops/slotbook.service'));
const container = joined(read('ops/Dockerfile'));

/** The value of a directive of the unit. */
function directive(name: string): string {
  const found = new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
  if (found === undefined) throw new Error(`the unit has no ${name}`);
  return found;
}

/** The list in brackets behind an instruction of the container file's last stage. */
function instruction(name: string): readonly string[] {
  const stage = container.slice(container.lastIndexOf('\nFROM '));
  const found = new RegExp(`^${name} .*?(\\[.*\\])$`, 'm').exec(stage)?.[1];
  return JSON.parse(found ?? 'null');
}

/** The libraries that docs/deployment.md lists, as the folders that they lie in. */
const listed = [...read('docs/deployment.md').matchAll(/^\| `([\w./@-]+)\/[^`]*` \|/gm)].map(
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

test('the unit lets the service write its own folder only, and bounds its memory', () => {
  expect(directive('ProtectSystem')).toBe('strict');
  expect(directive('NoNewPrivileges')).toBe('yes');
  expect(directive('MemoryMax')).toMatch(/^\d+G$/);
  expect(directive('Restart')).toBe('always');
  expect(directive('User')).not.toBe('root');
  const [, written] = /--data-dir (\S+)/.exec(directive('ExecStart')) ?? [];
  expect(written).toBe(`/var/lib/${directive('StateDirectory')}`);
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

test('the image is built of what there is, runs as nobody special and says whether it lives', () => {
  const sources = [...container.matchAll(/^COPY (?!--from)(\S+) /gm)].map(([, from = '']) => from);
  expect(sources.filter((from) => !existsSync(path.join(root, from)))).toEqual([]);
  const stage = container.slice(container.lastIndexOf('\nFROM '));
  expect(/^USER (\S+)$/m.exec(stage)?.[1]).toBe('node');
  expect(/^RUN node (\S+)/m.exec(container)?.[1]).toSatisfy((script: string) =>
    existsSync(path.join(root, script)),
  );
  const port = instruction('CMD')[instruction('CMD').indexOf('--metrics-port') + 1];
  expect(stage).toContain(`http://127.0.0.1:${port}/health`);
});
