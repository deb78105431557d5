/** What a page loads of the accounts: what it uses, and nothing else. */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

const sources = fileURLToPath(new URL('../../src/client/', import.meta.url));

async function bundle(names: readonly string[]): Promise<string> {
  const contents = `export { ${names.join(', ')} } from './accounts/index.js';`;
  const stdin = { contents, resolveDir: sources, loader: 'ts' } as const;
  const options = { bundle: true, minify: true, format: 'esm', write: false } as const;
  const result = await build({ stdin, ...options, target: 'es2022', platform: 'browser' });
  expect(result.warnings).toEqual([]);
  return result.outputFiles[0]?.text ?? '';
}

describe('what is loaded of the accounts', () => {
  test.each([
    [['decodeUser'], 3_500],
    [['decodePerpMarket'], 3_500],
    [['orderLabel', 'isSignedMsgOrder'], 700],
    [['AccountCache', 'decodeUser', 'decodePerpMarket', 'decodeSpotMarket'], 14_000],
  ])('%j is not larger than it has to be', async (names, bytesMax) => {
    expect(gzipSync(await bundle(names), { level: 9 }).length).toBeLessThan(bytesMax);
  });

  test('who decodes users does not load what is shown of them, nor markets', async () => {
    const text = await bundle(['decodeUser']);
    expect(text).toContain('lastActiveSlot');
    expect(text).not.toMatch(/marginInfo|pegMultiplier|insuranceFund/);
  });
});
