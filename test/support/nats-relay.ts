/**
 * A relay between a program and a NATS server, which a test can interrupt: data sent meanwhile
 * arrives later, as over an interrupted network.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection and its waiting data. */
interface Link {
  /** How the program calls itself: the text of its greeting. */
  greeting: string;
  readonly sockets: readonly [Socket, Socket];
  readonly waiting: (() => void)[];
}

/** Passes bytes on in both directions, in their order, some now and some when the way is whole again. */
export class NatsRelay {
  readonly #links = new Set<Link>();
  /** Links whose greeting contains this text are interrupted; null for none. */
  #parted: string | null = null;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (near) => this.#connect(near));
  }

  static async start(url: string): Promise<NatsRelay> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new NatsRelay(server, new URL(url));
  }

  /** The address of its server through it. */
  get url(): string {
    const { username, password } = this.target;
    const { port } = this.server.address() as AddressInfo;
    return `nats://${username}:${password}@127.0.0.1:${port}`;
  }

  /** From now on nothing passes on the connections of this name; of all without one. */
  part(name = ''): void {
    this.#parted = name;
  }

  /** Ends the interruption; waiting data is sent first. */
  join(): void {
    this.#parted = null;
    for (const { waiting } of this.#links) for (const pass of waiting.splice(0)) pass();
  }

  /** Ends the interruption with new connections: the waiting data of old connections is lost. */
  joinAnew(): void {
    this.#parted = null;
    for (const link of this.#links) if (link.waiting.length > 0) end(link);
  }

  async stop(): Promise<void> {
    for (const link of this.#links) end(link);
    await new Promise((resolve) => this.server.close(resolve));
  }

  #connect(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    const link: Link = { greeting: '', sockets: [near, far], waiting: [] };
    this.#links.add(link);
    near.on('data', (bytes) => {
      // The client's first message contains its name.
      if (link.greeting === '') link.greeting = bytes.toString('latin1');
      this.#pass(link, () => far.write(bytes));
    });
    far.on('data', (bytes) => this.#pass(link, () => near.write(bytes)));
    for (const socket of link.sockets) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#links.delete(link);
        end(link);
      });
    }
  }

  #pass(link: Link, pass: () => void): void {
    const isParted = this.#parted !== null && link.greeting.includes(this.#parted);
    if (isParted || link.waiting.length > 0) link.waiting.push(pass);
    else pass();
  }
}

function end({ sockets, waiting }: Link): void {
  waiting.length = 0;
  for (const socket of sockets) socket.destroy();
}
