/**
 * The project of tests on virtual time: modules import stand-ins for the world outside, and each one gets the
 * globals of time that it names from `clock.ts`.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = path.join(root, 'test/world');
const simulation = path.join(root, 'test/simulation');
const clock = path.join(folder, 'clock.ts');

/** By the import as it is written. */
const REPLACED: Readonly<Record<string, string>> = {
  'uWebSockets.js': 'test/world/uws.ts',
  '@nats-io/jetstream': 'test/world/nats-client.ts',
  '@nats-io/kv': 'test/world/nats-client.ts',
  '@nats-io/obj': 'test/world/nats-client.ts',
  '@nats-io/transport-node': 'test/world/nats-client.ts',
  vitest: 'test/world/vitest.ts',
  ws: 'test/world/ws.ts',
  '@slotbook/core/native': 'test/simulation/stand-ins/addon.ts',
  libsql: 'test/simulation/stand-ins/libsql.ts',
};

/** Of Node itself, which the runner would load before it asked a plugin. */
const BUILT_IN: Readonly<Record<string, string>> = {
  'fs/promises': 'fs-promises.ts',
  http: 'http.ts',
  http2: '../simulation/stand-ins/http2.ts',
  net: 'net.ts',
  'timers/promises': 'timers-promises.ts',
  zlib: 'zlib.ts',
};

/** By file. */
const REPLACED_FILES: Readonly<Record<string, string>> = {
  'src/history/worker-link.ts': 'test/simulation/stand-ins/worker-link.ts',
  'src/journal/worker-link.ts': 'test/world/journal-threads.ts',
  'src/sim/chain/chain-process.ts': 'test/world/local-chain.ts',
  'test/support/nats-server.ts': 'test/world/nats-server.ts',
  'src/server/metrics/timings.ts': 'test/simulation/stand-ins/timings.ts',
  'src/server/transport/native-transport.ts': 'test/world/native-transport.ts',
};

/** Names of globals that a module may use. */
const GLOBALS = [
  'AbortSignal',
  'Date',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'crypto',
  'fetch',
  'performance',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

/** The stand-ins themselves, which use the real ones. */
function isOfWorld(file: string): boolean {
  if (file.endsWith('.test.ts')) return false;
  return file.startsWith(folder) || file.startsWith(`${simulation}/`);
}

/** The globals that a module uses and does not declare itself; of `Math` it is chance alone that matters. */
function usedGlobals(code: string): string[] {
  const names = code.includes('Math.random') ? [...GLOBALS, 'Math'] : GLOBALS;
  return names.filter((name) => {
    const isUsed = new RegExp(`(?<![.\\w'"\`#-])${name}\\b(?!['"\`-])`).test(code);
    const declares = new RegExp(
      `^(?:export )?(?:async )?(?:const|let|function|class) ${name}\\b` +
        `|^import [^;]*?(?:[{,]\\s*(?:type )?|\\bas )${name}\\s*[,}]`,
      'm',
    );
    return isUsed && !declares.test(code);
  });
}

function withStandIns(code: string): string {
  return code.replace(/(?<=\bfrom |\bimport\()'node:([a-z0-9/]+)'/g, (whole, name: string) => {
    const file = BUILT_IN[name];
    return file === undefined ? whole : `'${path.join(folder, file)}'`;
  });
}

export function worldPlugin(): Plugin {
  return {
    name: 'world',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined || isOfWorld(importer)) return null;
      const replaced = REPLACED[source];
      if (replaced !== undefined) return path.join(root, replaced);
      if (!source.startsWith('.')) return null;
      const file = path.resolve(path.dirname(importer), source).replace(/\.js$/, '.ts');
      const byFile = REPLACED_FILES[path.relative(root, file)];
      return byFile === undefined ? null : path.join(root, byFile);
    },
    transform(code, id) {
      const [file = ''] = id.split('?');
      const isOurs = file.startsWith(`${root}src/`) || file.startsWith(`${root}test/`);
      if (!isOurs || isOfWorld(file) || !/\.[mc]?[jt]s$/.test(file)) return null;
      const names = usedGlobals(code);
      const globals = names.length > 0 ? `import { ${names.join(', ')} } from '${clock}';` : '';
      return { code: globals + withStandIns(code), map: null };
    },
  };
}
