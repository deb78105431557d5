/** Builds the page into dist/page, which the service reads at its start. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** The entry pages. */
const PAGES = [
  'index.html',
  'page/markets.html',
  'page/account.html',
  'page/status.html',
  'page/console.html',
  'embed/ladder.html',
  'embed/depth.html',
  'embed/chart.html',
];

/** Writes a compressed copy of each finished script and style, so that the service need not compress them. */
function compressedCopies() {
  return {
    name: 'compressed-copies',
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => /\.(js|css)$/.test(file))) {
        const file = path.join(dir, name);
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
      }
    },
  };
}

/**
 * Lazily loaded modules have no style of their own and use plain imports: Vite's helper, which
 * would load styles and shared chunks, takes 660 bytes.
 */
function plainImports() {
  return {
    name: 'plain-imports',
    enforce: 'pre',
    load(id) {
      if (id !== '\0vite/preload-helper.js') return undefined;
      return 'export const __vitePreload = (load) => load();';
    },
  };
}

/** The code shared by the market page, its embeds and the other pages, in one file: this saves 2 kB. */
const GROUPS = [{ name: 'base', minShareCount: 4 }];

export default defineConfig({
  base: './',
  plugins: [svelte(), plainImports(), compressedCopies()],
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    assetsDir: 'page',
    // The page's policy forbids the inline script, and every browser with WebSocket preloads
    // modules.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: 'es2022',
    // Paths relative to the root of the page, and the paths of the service, without .html.
    rolldownOptions: {
      input: PAGES.map((name) => path.join(import.meta.dirname, name)),
      output: { codeSplitting: { groups: GROUPS } },
    },
    reportCompressedSize: false,
  },
});
