import { afterEach, expect, test, vi } from 'vitest';
import type { Service } from '../src/app/book-service.js';
import { startService } from '../src/app/start-service.js';
import { ConfigReader } from '../src/config/config.js';
import { Engine } from '../src/engine/engine.js';
import { FakeChain, OTHER_GENESIS_HASH } from './fake-chain.js';
import { ScriptedRpc } from './scripted-rpc.js';
import { until } from './support/until.js';

/** Kinds of accounts that one reading asks for. */
const KINDS = 4;

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  vi.restoreAllMocks();
});

/** A service on an empty chain, and the epochs that its engine was given. */
async function start(): Promise<{ server: ScriptedRpc; chain: FakeChain; epochs: string[] }> {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const { setEpoch } = Engine.prototype;
  const epochs: string[] = [];
  vi.spyOn(Engine.prototype, 'setEpoch').mockImplementation(function (this: Engine, epoch) {
    epochs.push(this.epoch, epoch);
    return setEpoch.call(this, epoch);
  });
  const server = await ScriptedRpc.start();
  closers.push(() => server.stop());
  const chain = new FakeChain(server);
  for (const key of ['state', 'perp0', 'oracle0', 'user1', 'user2']) chain.accounts.delete(key);
  const flags = { rpcUrl: server.rpcUrl, wsUrl: server.wsUrl, port: '0', logLevel: 'silent' };
  const service: Service = await startService(
    new ConfigReader({ ...flags, history: false }, {}).readService(),
  );
  closers.push(() => service.stop());
  return { server, chain, epochs };
}

test('a chain with another genesis hash begins a new epoch, the same chain does not', async () => {
  const { server, chain, epochs } = await start();
  const readings = (count: number): Promise<boolean> =>
    until(`${count} readings`, () => server.count('getProgramAccounts') >= count * KINDS);
  await readings(1);
  server.cut();
  await readings(2);
  expect(epochs).toEqual([]);
  chain.genesisHash = OTHER_GENESIS_HASH;
  server.cut();
  await until('a new epoch', () => epochs.length > 0);
  const [before = '', after = ''] = epochs;
  expect(Number.parseInt(after, 36)).toBeGreaterThan(Number.parseInt(before, 36));
});
