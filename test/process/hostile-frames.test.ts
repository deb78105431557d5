/** Broken WebSocket frames by a raw TCP client: the service lives, and answers each as it must. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../src/sim/random.js';
import {
  frameBytes,
  type HostileCase,
  hostileFrames,
  KINDS_OF_FRAMES,
  OPCODE,
} from '../support/hostile-frames.js';
import { count, HostileGround, pooled } from '../support/hostile-ground.js';
import { RawSocket } from '../support/raw-socket.js';
import { until } from '../support/until.js';

const FRAMES = count(500, 10_000);
const LANES = 16;
/** A broken frame ends the connection at once; a busy machine gets long. */
const END_MS_MAX = 60_000;
/** Where either outcome is right: long enough to see an end that comes at once. */
const EITHER_MS = 20;
/** Close codes with which a server may answer a broken frame, or echo one that was none. */
const CLOSE_CODES = [1_000, 1_002, 1_003, 1_007, 1_008, 1_009];

const SUBSCRIBE = Buffer.from(
  '{"type":"subscribe","channel":"orderbook","marketType":"perp","market":"SOL-PERP"}',
);

const HEARTBEAT = Buffer.from('{"channel":"heartbeat"}');

let ground: HostileGround;

beforeAll(async () => {
  ground = await HostileGround.start();
});

afterAll(() => ground?.stop());

/** The frames, each with a random source of its own: lanes take turns as they like. */
function* faces(random: Random, frames: number) {
  for (const one of hostileFrames(random, frames)) {
    yield { one, own: new Random(random.nextBelow(0xffff_ffff)) };
  }
}

/**
 * Sends the frame in two pieces, cut anywhere, now and then as a subscriber, and checks what becomes
 * of the connection.
 */
async function face(one: HostileCase, random: Random): Promise<void> {
  const socket = await RawSocket.open(ground.service.port);
  if (one.outcome !== 'unheard' && random.oneIn(4))
    socket.write(frameBytes(random, { opcode: OPCODE.text, payload: SUBSCRIBE }));
  const cut = random.nextBelow(one.bytes.length);
  socket.write(one.bytes.subarray(0, cut));
  socket.write(one.bytes.subarray(cut));
  if (one.outcome === 'ends') {
    expect(await socket.endsWithin(END_MS_MAX), `${one.name} ends the connection`).toBe(true);
  } else if (one.outcome === 'continues') {
    await pingPong(socket, one);
  } else {
    await socket.endsWithin(EITHER_MS);
  }
  if (one.outcome === 'unheard') {
    // A heartbeat is no response: it begins with the connection.
    const responses = socket.frames.filter(({ payload }) => !payload.equals(HEARTBEAT));
    expect(responses, `${one.name} is not heard`).toEqual([]);
  }
  for (const { opcode, payload } of socket.frames) {
    if (opcode === OPCODE.close && payload.length > 0) {
      expect(CLOSE_CODES, one.name).toContain(payload.readUInt16BE(0));
    }
  }
  if (random.oneIn(2)) socket.destroy();
  else socket.socket.resetAndDestroy();
}

/** Shows that the connection still works. */
async function pingPong(socket: RawSocket, { name }: HostileCase): Promise<void> {
  const payload = Buffer.from('still there?');
  socket.write(frameBytes(new Random(1), { opcode: OPCODE.ping, payload }));
  const isPong = () =>
    socket.frames.some((one) => one.opcode === OPCODE.pong && one.payload.equals(payload));
  await Promise.race([until(() => isPong() || socket.isEnded), socket.endsWithin(END_MS_MAX)]);
  expect(isPong(), `${name} leaves the connection open`).toBe(true);
}

test(`${FRAMES} malformed frames`, { timeout: 300_000 }, async (context) => {
  await ground.endure(context, async (random, share) => {
    await pooled(faces(random, FRAMES * share), LANES, ({ one, own }) => face(one, own));
    return `${FRAMES} frames of ${KINDS_OF_FRAMES} kinds`;
  });
});
