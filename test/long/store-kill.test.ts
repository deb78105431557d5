import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import {
  cleanUp,
  defectsOf,
  newFolder,
  newStore,
  readTrades,
} from '../../src/history/store/testing.js';
import { until } from '../support/until.js';

/** A process that writes is killed at random moments: what it said to be stored is there, once. */
const kills = Number(process.env['STORE_KILLS'] ?? 6);
const writer = fileURLToPath(new URL('./store-writer.mjs', import.meta.url));

afterAll(cleanUp);

/** Starts the writer, kills it when it has said so many batches, and answers what it said last. */
async function killedAfter(folder: string, seed: number, batches: number): Promise<number> {
  const child = spawn(process.execPath, [writer, folder, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    said += String(chunk);
    if (said.split('\n').length > batches) child.kill('SIGKILL');
  }
  const whole = said.slice(0, said.lastIndexOf('\n')).split('\n');
  return Number(whole.at(-1));
}

describe('a killed process', () => {
  test('leaves every acknowledged row, each once, and marks that agree with the rows', async () => {
    const folder = newFolder();
    for (let kill = 1; kill <= kills; kill += 1) {
      const acknowledged = await killedAfter(folder, kill, 1 + ((kill * 7) % 23));
      const store = await newStore(folder);
      const next = Number(store.readProgress().get('next'));
      expect(next).toBeGreaterThanOrEqual(acknowledged);
      const trades = 2 * (next - 1);
      expect(store.readTotals()).toEqual({ trades, fundingRates: 0, transactions: next - 1 });
      expect(store.findGaps()).toMatchObject({ holes: 0 });
      const month = store.readCandles({ market: 'perp_0', minutes: 43_200, limit: 9 });
      expect(month.reduce((sum, { count }) => sum + count, 0)).toBe(trades);
      const rows = readTrades(store, { market: 'perp_0', limit: 1_000 });
      const ids = rows.map(({ fillRecordId }) => Number(fillRecordId));
      const newest = Array.from(rows, (_, at) => 2 * next - 1 - at);
      expect(ids).toEqual(newest);
      expect(defectsOf(store)).toEqual([]);
      store.close();
    }
  }, 600_000);
});

/** Whether every thread of a process stands still. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  const states = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/stat`, 'utf8'));
  return states.every((stat) => /\) T /.test(stat));
}

describe('a copy of the file and its log, as docs/deployment.md makes it', () => {
  test('has every row that was acknowledged before, while the process goes on', async () => {
    const [folder, copy] = [newFolder(), newFolder()];
    const child = spawn(process.execPath, [writer, folder, '1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { pid } = child;
    if (pid === undefined) throw new Error('the writer did not start');
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
    const batches = (): number => said.split('\n').length - 1;
    await until('the writer has stored some', () => batches() > 20);
    child.kill('SIGSTOP');
    await until('the writer stands still', () => isStopped(pid));
    const names = readdirSync(folder);
    for (const name of names) copyFileSync(path.join(folder, name), path.join(copy, name));
    const acknowledged = Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1));
    child.kill('SIGCONT');
    const before = batches();
    await until('the writer goes on', () => batches() > before + 5);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(names.some((name) => name.endsWith('-wal'))).toBe(true);
    const store = await newStore(copy);
    const next = Number(store.readProgress().get('next'));
    expect(next).toBeGreaterThanOrEqual(acknowledged);
    expect(store.readTotals()).toMatchObject({ trades: 2 * (next - 1), transactions: next - 1 });
    expect(defectsOf(store)).toEqual([]);
    store.close();
  }, 120_000);
});
