/** Builds the page into dist/page, which the service reads at its start. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** The pages. */
const PAGES = [
  'index.html',
  'page/status.html',
  'page/console.html',
  'embed/ladder.html',
  'embed/depth.html',
  'embed/chart.html',
];

/** Writes a compressed copy beside each finished script and style, so that the service compresses none of them. */
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
 * What is loaded behind the first book has no style of its own, and is imported plainly: Vite's helper, which
 * would load its style and what it shares, is 660 bytes.
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

/** What the market shares with its embeds and the other pages, in one file: it is 2 kB less than in many. */
const GROUPS = [{ name: 'base', minShareCount: 4 }];

export default defineConfig({
  base: './',
  plugins: [svelte(), plainImports(), compressedCopies()],
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    assetsDir: 'page',
    // The policy of the page allows no script in it, and every browser with WebSocket preloads modules.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: 'es2022',
    // Paths relative to the root of the page, and those under which the service sends them, without .html.
    rolldownOptions: {
      input: PAGES.map((name) => path.join(import.meta.dirname, name)),
      output: { codeSplitting: { groups: GROUPS } },
    },
    reportCompressedSize: false,
  },
});
