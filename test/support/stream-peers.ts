/** Clients from other worlds that follow one book topic and say at the end what they have. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { LevelRow } from './model-book.js';
import { BrowserPage, chromiumMissing } from './peers.js';
import { FOLLOW_IN_PAGE } from './stream-page.js';

/** What a client has at the end. */
export interface StreamReport {
  readonly epoch: string;
  readonly seq: number;
  readonly deltas: number;
  /** What did not fit. */
  readonly faults: readonly string[];
  readonly bids: readonly LevelRow[];
  readonly asks: readonly LevelRow[];
}

/** A client that follows. */
export interface StreamPeer {
  /** Waits until it has heard everything sent so far, and ends it. */
  finish(): Promise<StreamReport>;
}

/** Connects a client that is ready to the stream of a URL. */
export type OpenStreamPeer = (url: string, subscribe: PeerSubscribe) => Promise<StreamPeer>;

/** A subscription to a book topic. */
export interface PeerSubscribe {
  readonly market: string;
  readonly [member: string]: unknown;
}

/** What can open one; `missing` names what must be installed for it. */
export interface StreamPeerKind {
  readonly name: string;
  readonly missing: string | undefined;
  /** Does what takes long, before there is anything to follow. `folder` takes what has to be built. */
  readonly prepare: (folder: string) => Promise<OpenStreamPeer>;
}

const PYTHON = '/usr/bin/python3';
const pythonClient = fileURLToPath(new URL('./stream_client.py', import.meta.url));
const goModule = fileURLToPath(new URL('../clients-go', import.meta.url));
/** Where Go's own packages put it, which need not be on the path. */
const GO_COMMANDS = ['go', '/usr/local/go/bin/go'];

function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** A process that follows until its standard input ends. */
function spawnPeer(command: string, args: readonly string[]): StreamPeer {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const said = text(child.stdout);
  const complained = text(child.stderr);
  const ended = once(child, 'exit');
  return {
    finish: async () => {
      child.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`${command} ended with ${code}: ${await complained}`);
      return JSON.parse(await said);
    },
  };
}

/** `markets` is those that it follows: the one of the subscription, or all. */
async function prepareGo(
  go: string,
  folder: string,
  markets: 'one' | 'all',
): Promise<OpenStreamPeer> {
  const client = path.join(folder, `clients-go-${markets}`);
  const env = { ...process.env, GOFLAGS: '-buildvcs=false' };
  const build = spawn(go, ['build', '-o', client, '.'], { cwd: goModule, env, stdio: 'pipe' });
  const complained = text(build.stderr);
  const [code] = await once(build, 'exit');
  if (code !== 0) throw new Error(`go build ended with ${code}: ${await complained}`);
  return async (url, subscribe) => {
    const sent = markets === 'all' ? { ...subscribe, market: '*' } : subscribe;
    return spawnPeer(client, [url, JSON.stringify(sent), subscribe.market]);
  };
}

async function prepareBrowser(): Promise<OpenStreamPeer> {
  const browser = await BrowserPage.open();
  return async (url, subscribe) => {
    const args = [url, JSON.stringify(subscribe)].map((arg) => JSON.stringify(arg));
    await browser.page.evaluate(`(${FOLLOW_IN_PAGE})(${args.join(', ')})`);
    return {
      finish: async () => {
        const report = (await browser.page.evaluate('finish()')) as StreamReport;
        await browser.close();
        return report;
      },
    };
  };
}

/** All kinds of clients; looks for what they need. */
export function streamPeerKinds(): StreamPeerKind[] {
  const go = GO_COMMANDS.find((command) => runs(command, ['version']));
  const hasPython = runs(PYTHON, ['-c', 'import websockets']);
  return [
    {
      name: 'websockets of Python',
      missing: hasPython ? undefined : 'needs python3-websockets',
      prepare: async () => async (url, subscribe) =>
        spawnPeer(PYTHON, [pythonClient, url, JSON.stringify(subscribe)]),
    },
    { name: 'Chromium', missing: chromiumMissing(), prepare: prepareBrowser },
    {
      name: 'coder/websocket of Go',
      missing: go === undefined ? 'needs go' : undefined,
      prepare: (folder) => prepareGo(go ?? '', folder, 'one'),
    },
    {
      name: 'coder/websocket of Go, with all markets',
      missing: go === undefined ? 'needs go' : undefined,
      prepare: (folder) => prepareGo(go ?? '', folder, 'all'),
    },
  ];
}
