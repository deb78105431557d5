/** Builds the page into dist/page, which the service reads at its start. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** The pages; each loads what it needs. */
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

export default defineConfig({
  base: './',
  plugins: [svelte(), compressedCopies()],
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    assetsDir: 'page',
    // The policy of the page allows no script in it, and every browser with WebSocket preloads modules.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: 'es2022',
    // Paths relative to the root of the page, and those under which the service sends them, without .html.
    rolldownOptions: { input: PAGES.map((name) => path.join(import.meta.dirname, name)) },
    reportCompressedSize: false,
  },
});
