/** The client library in one file, as a page loads it. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect } from 'vitest';

const sources = fileURLToPath(new URL('../../src/client/', import.meta.url));

/** The script of these exports of the library. */
export function bundle(names: readonly string[]): Promise<string> {
  return bundleOf(`export { ${names.join(', ')} } from './index.js';`);
}

/** The script of a module in the library's folder. */
export async function bundleOf(contents: string): Promise<string> {
  const options = { bundle: true, minify: true, format: 'esm', write: false } as const;
  const stdin = { contents, resolveDir: sources, loader: 'ts' } as const;
  const result = await build({ stdin, ...options, target: 'es2022', platform: 'browser' });
  expect(result.warnings).toEqual([]);
  return result.outputFiles[0]?.text ?? '';
}
