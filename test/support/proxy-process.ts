import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/app/loopback-ports.js';
import { until } from './until.js';

/** The name in the kept configurations, and in the certificate of a test. */
export const HOST = 'slotbook.example';

/** A stored configuration, and the parts that tests replace. */
export interface ProxyKind {
  readonly name: 'nginx' | 'caddy' | 'haproxy';
  /** The file below `ops`. */
  readonly file: string;
  readonly command: string;
  /** Its words for the address of its upstream and for its own. */
  readonly upstream: string;
  readonly listen: string;
  /** Its listening address in place of `listen`. */
  readonly listenOn: (port: number) => string;
  /** The arguments that start it in the foreground with the configuration of a folder. */
  readonly args: (config: string, folder: string) => readonly string[];
  /** A configuration around or before that of the file. */
  readonly wrap: (config: string, folder: string) => string;
}

/** The kept configuration of a proxy. */
export function readConfig({ file }: ProxyKind): string {
  return readFileSync(fileURLToPath(new URL(`../../ops/${file}`, import.meta.url)), 'utf8');
}

const keep = (config: string): string => config;

/** The proxies with a configuration in `ops`. */
export const PROXIES: readonly ProxyKind[] = [
  {
    ...{ name: 'nginx', file: 'nginx.conf', command: 'nginx' },
    ...{ upstream: '127.0.0.1:8080', listen: 'listen 443 ssl' },
    listenOn: (port) => `listen 127.0.0.1:${port} ssl`,
    args: (config, folder) => ['-c', config, '-p', folder, '-e', 'stderr'],
    wrap: (config, folder) => {
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
      // Its workers would otherwise be of a user that cannot enter the folder.
      const user = process.getuid?.() === 0 ? 'user root;\n' : '';
      const head = `${user}daemon off;\npid ${folder}/nginx.pid;\nworker_processes 1;\nevents {}`;
      return `${head}\nhttp {\naccess_log off;\n${temporary}\n${config}\n}\n`;
    },
  },
  {
    ...{ name: 'caddy', file: 'Caddyfile', command: 'caddy' },
    ...{ upstream: '127.0.0.1:8080', listen: `${HOST} {` },
    listenOn: (port) => `${HOST}:${port} {\n\tbind 127.0.0.1`,
    args: (config) => ['run', '--config', config, '--adapter', 'caddyfile'],
    wrap: (config) => `{\n\tadmin off\n\tauto_https off\n}\n${config}`,
  },
  {
    ...{ name: 'haproxy', file: 'haproxy.cfg', command: 'haproxy' },
    ...{ upstream: '127.0.0.1:8080', listen: 'bind :443' },
    listenOn: (port) => `bind 127.0.0.1:${port}`,
    args: (config) => ['-db', '-f', config],
    wrap: keep,
  },
];

/** The missing program of a proxy; undefined when it is installed. */
export function proxyMissing({ command }: ProxyKind): string | undefined {
  const missing = [command, 'openssl'].find(
    (name) => spawnSync(name, ['version'], { stdio: 'ignore', env: toolPath }).error !== undefined,
  );
  return missing === undefined ? undefined : `needs ${missing}`;
}

/** Debian has servers where the path of an ordinary user does not lead. */
const toolPath = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };

/** A test's change of a stored configuration, besides addresses and files. */
export type ConfigChange = (config: string) => string;

/** A real proxy as a process, with its kept configuration, before a service on loopback. */
export class ProxyProcess {
  #stderr = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    /** Its self-signed certificate. */
    readonly certificate: string,
    private readonly folder: string,
  ) {
    child.stderr?.on('data', (chunk) => {
      this.#stderr += chunk;
    });
  }

  /** Starts it, and waits until it takes TLS connections. */
  static async start(
    kind: ProxyKind,
    servicePort: number,
    change: ConfigChange = keep,
  ): Promise<ProxyProcess> {
    const folder = mkdtempSync(path.join(tmpdir(), `slotbook-${kind.name}-`));
    const port = await freePort();
    const certificate = makeCertificate(folder);
    const changes: readonly (readonly [string, string])[] = [
      [kind.upstream, `127.0.0.1:${servicePort}`],
      [kind.listen, kind.listenOn(port)],
      ['/etc/ssl/', `${folder}/`],
    ];
    const own = changes.reduce(replaceAll, change(readConfig(kind)));
    const config = path.join(folder, kind.file);
    writeFileSync(config, kind.wrap(own, folder));
    const env = { ...toolPath, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const child = spawn(kind.command, kind.args(config, folder), { stdio: [...stdio], env });
    const proxy = new ProxyProcess(child, port, certificate, folder);
    try {
      await until(() => proxy.#takesTls());
    } catch (error) {
      await proxy.stop();
      throw new Error(`${kind.name} did not start: ${proxy.#stderr}`, { cause: error });
    }
    return proxy;
  }

  /** Its messages. */
  get stderr(): string {
    return this.#stderr;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #takesTls(): Promise<boolean> {
    if (this.child.exitCode !== null) throw new Error('it has ended');
    const socket = connect({
      ...{ host: '127.0.0.1', port: this.port, servername: HOST, ca: this.certificate },
    });
    return new Promise((resolve) => {
      socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    }).then((isTaken) => {
      socket.destroy();
      return isTaken === true;
    });
  }
}

function replaceAll(config: string, [from, to]: readonly [string, string]): string {
  if (!config.includes(from)) throw new Error(`the configuration has no ${from}`);
  return config.replaceAll(from, to);
}

/** Makes a certificate for {@link HOST} and its key, also in one file; returns the certificate. */
function makeCertificate(folder: string): string {
  const [crt, key] = ['crt', 'key'].map((end) => path.join(folder, `slotbook.${end}`));
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`, '-days', '2'];
  const files = ['-out', crt ?? '', '-keyout', key ?? ''];
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...files], { stdio: 'pipe' });
  const certificate = readFileSync(crt ?? '', 'utf8');
  const both = certificate + readFileSync(key ?? '', 'utf8');
  writeFileSync(path.join(folder, 'slotbook.pem'), both);
  return certificate;
}
