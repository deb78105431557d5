/** The committed vectors in every family of the runner in TypeScript, and the runner itself. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { families } from './golden-ts/families.js';
import { Cases, type Family } from './golden-ts/family.js';
import { type FileReport, runFolder } from './golden-ts/run.js';

const vectors = fileURLToPath(new URL('./golden/vectors', import.meta.url));
describe('the committed vectors', () => {
  let reports: FileReport[] = [];
  beforeAll(async () => {
    reports = await runFolder(vectors);
  });

  // Specification: account-margin-info, position-direction, position-base-size, position-notional-size,
  // position-entry-price, position-liquidation-price, position-pnl, position-fees-and-funding,
  // position-cost-basis, position-break-even, position-unsettled, position-claimable, position-settled,
  // balance-model, order-model-label.
  test('no case of any family fails', () => {
    const failed = reports.filter((report) => report.failed > 0);
    expect(failed.map(({ file, notes }) => [file, ...notes])).toEqual([]);
  });

  test('every family has a vector here, and a case in it', () => {
    const ran = reports.filter(({ passed }) => passed > 0);
    const names = new Set(ran.map(({ family }) => family));
    expect(families.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('the runner', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-golden-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'a.json'), '{"double":[[1,2],[2,4],[3,7]]}');
  writeFileSync(path.join(folder, 'b.json'), '{"double":7}');
  writeFileSync(path.join(folder, 'c.json'), '{"other":1}');
  writeFileSync(path.join(folder, 'd.json'), '{"double":');

  const doubling: Family = {
    name: 'doubling',
    matches: ({ json }) => Object.hasOwn(Object(json), 'double'),
    run: ({ json }) => {
      const cases = new Cases();
      const pairs = (json as { double: readonly (readonly [number, number])[] }).double;
      for (const [one, two] of pairs) cases.same(`twice ${one}`, { ours: 2 * one, recorded: two });
      return cases.report();
    },
  };

  test('counts the cases of a file, tells a difference, and takes what breaks as a failed case', async () => {
    const [a, b, d, ...rest] = await runFolder(folder, [doubling]);
    const notes = ['twice 3: FAILED: ours 6, recorded 7'];
    expect(a).toEqual({
      file: 'a.json',
      family: 'doubling',
      passed: 2,
      failed: 1,
      notes,
    });
    expect(b).toMatchObject({ file: 'b.json', family: 'doubling', passed: 0, failed: 1 });
    expect(d).toMatchObject({ file: 'd.json', family: 'JSON', passed: 0, failed: 1 });
    expect(rest).toEqual([]);
  });

  test('tells a bigint from a number and a missing member from one that is undefined', () => {
    const cases = new Cases();
    cases.same('bigint', { ours: 1n, recorded: 1 });
    cases.same('member', { ours: { a: undefined }, recorded: {} });
    cases.same('order of members', { ours: { a: 1, b: 2n }, recorded: { b: 2n, a: 1 } });
    expect(cases.report()).toMatchObject({ passed: 1, failed: 2 });
  });
});
