/** Slow and half-open HTTP: connections that never say what they want are closed, and no other waits. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { count, HostileGround, IS_LONG, pooled } from '../support/hostile-ground.js';
import { RawSocket, UPGRADE_HEAD } from '../support/raw-socket.js';

const CONNECTIONS = count(50, 1_000);
const LANES = 50;
/** The transport closes what is idle or slow after 8 to 12 s; a busy machine gets a few more. */
const CLOSED_MS_MAX = 60_000;
const TRICKLE_MS = 1_000;
const FETCHES = count(50, 1_000);

/** What a connection sends at once, and then a byte at a time for ever. */
interface Slow {
  readonly name: string;
  readonly begins: string;
  readonly trickle: string;
  /** When it is closed at the latest; HTTP's time by default. */
  readonly closedMsMax?: number;
}

const HEAD = 'GET /l2?marketName=SOL-PERP HTTP/1.1\r\nHost: 127.0.0.1\r\n';
const POST = 'POST /l2 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n';

const httpKinds: readonly Slow[] = [
  { name: 'silence', begins: '', trickle: '' },
  { name: 'half a request line', begins: 'GET /l2?market', trickle: '' },
  { name: 'a slow request line', begins: 'GET /l2?', trickle: 'a' },
  { name: 'a head that never ends', begins: `${HEAD}X-A: `, trickle: 'a' },
  { name: 'slow header lines', begins: HEAD, trickle: 'X-A: b\r\n' },
  { name: 'half an upgrade', begins: UPGRADE_HEAD, trickle: '' },
  { name: 'an upgrade that never ends', begins: `${UPGRADE_HEAD}X-A: `, trickle: 'a' },
  { name: 'a body that never comes', begins: POST, trickle: '' },
  { name: 'a slow body', begins: POST, trickle: 'a' },
  { name: 'an answered request and silence', begins: `${HEAD}\r\n`, trickle: '' },
];

/** A WebSocket that stops in the middle of a frame is idle, and answers no ping. */
const socketKind: Slow = {
  name: 'an upgrade and half a frame',
  begins: `${UPGRADE_HEAD}\r\n\x81`,
  trickle: '',
  closedMsMax: 45_000,
};

/** The time that sockets get is too long for the short form. */
const kinds = IS_LONG ? [...httpKinds, socketKind] : httpKinds;

let ground: HostileGround;

beforeAll(async () => {
  ground = await HostileGround.start();
});

afterAll(() => ground?.stop());

/** Opens a slow connection, and answers once the server has closed it. */
async function dawdle({ name, begins, trickle, closedMsMax }: Slow): Promise<void> {
  const socket = await RawSocket.connect(ground.service.port);
  if (begins !== '') socket.write(Buffer.from(begins, 'latin1'));
  const timer = setInterval(() => socket.write(trickle), TRICKLE_MS);
  if (trickle === '') clearInterval(timer);
  const isClosed = await socket.endsWithin(closedMsMax ?? CLOSED_MS_MAX);
  clearInterval(timer);
  socket.destroy();
  expect(isClosed, `${name} is closed`).toBe(true);
}

test(`${CONNECTIONS} slow connections`, async (context) => {
  await ground.endure(context, async (_, share) => {
    // The wait would be twice as long if there were slow ones in the warm-up.
    const slow = Array.from(
      { length: share < 1 ? 0 : CONNECTIONS },
      (_, i) => kinds[i % kinds.length] as Slow,
    );
    const dawdling = Promise.all(slow.map(dawdle));
    dawdling.catch(() => {});
    // The others are answered meanwhile.
    await pooled(Array.from({ length: FETCHES * share }), LANES, async () => {
      expect((await ground.service.get('/l2?marketName=SOL-PERP')).status).toBe(200);
    });
    await dawdling;
    return `${CONNECTIONS} connections of ${kinds.length} kinds`;
  });
});
