/** A stream of a gRPC server over TCP, by a process of its own: Node reads its authorities when it starts. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { base58 } from '@scure/base';
import { expect, onTestFinished, test } from 'vitest';
import { encodeAccount } from '../support/grpc-messages.js';
import { RawGrpc } from '../support/raw-grpc.js';

const ACCOUNT = encodeAccount({
  ...{ pubkey: base58.encode(Buffer.alloc(32, 1)), owner: base58.encode(Buffer.alloc(32, 99)) },
  ...{ slot: 7, version: 1, bytes: Buffer.from('x') },
});

/** What a stream brings first: content, or why it was closed. */
async function eventOf(url: string, env: NodeJS.ProcessEnv): Promise<string> {
  const script = `
    import { GrpcStream } from '${new URL('../../dist/src/rpc/grpc/grpc-stream.js', import.meta.url)}';
    import { systemTimers } from '${new URL('../../dist/src/rpc/timers.js', import.meta.url)}';
    const end = (text) => { process.stdout.write(text); process.exit(0); };
    const ignore = () => undefined;
    const log = { info: ignore, warn: ({ serverText }) => end('closed: ' + serverText) };
    const options = { url: process.argv[1], timers: systemTimers, log };
    new GrpcStream({ ...options, encodeRequest: () => Buffer.alloc(0) }).start({
      onContent: () => end('content'), onClosed: (reason) => end('closed: ' + reason),
      onOpened: ignore, onInterrupted: ignore, onResumed: ignore, onMalformed: ignore,
    });`;
  const args = ['--input-type=module', '--eval', script, url];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return text(child.stdout);
}

test('grpc: TLS trusts the authorities of NODE_EXTRA_CA_CERTS, and no other that signed itself', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'grpc-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const kind = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...files], { stdio: 'ignore' });
  const server = await RawGrpc.start({ key: readFileSync(key), cert: readFileSync(cert) });
  onTestFinished(() => server.stop());
  const notify = setInterval(() => server.notifyBytes(ACCOUNT), 50);
  onTestFinished(() => clearInterval(notify));
  const url = `https://localhost:${server.port}`;
  expect(await eventOf(url, {})).toMatch(/^closed: .*self-signed certificate/);
  // What names the authorities of grpc-js alone counts for nothing.
  const trusted = { NODE_EXTRA_CA_CERTS: cert, GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: '/dev/null' };
  expect(await eventOf(url, trusted)).toBe('content');
}, 120_000);
