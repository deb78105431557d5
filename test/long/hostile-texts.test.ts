/** Malformed JSON in sound WebSocket frames: each text is answered, and nothing else happens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CompatibleClient } from '../support/compatible-client.js';
import { count, HostileGround, pooled } from '../support/hostile-ground.js';
import { hostileTexts } from '../support/hostile-texts.js';
import { until } from '../support/until.js';

const TEXTS = count(2_000, 100_000);
/** Texts that a socket sends at once; then it waits for the answers. */
const BATCH = 100;
const LANES = 4;
/** Enough for any lane: what is tested here is not the limit of messages a second. */
const MESSAGES_PER_SECOND = '1000000';
/** Codes with which a malformed text may be answered, and with which a socket may be closed. */
const CODES = [
  'MALFORMED_MESSAGE',
  'MISSING_PARAM',
  'INVALID_PARAM',
  'OUT_OF_RANGE',
  'UNKNOWN_MARKET',
  'UNKNOWN_CHANNEL',
  'NOT_SUBSCRIBED',
  'LIMIT_EXCEEDED',
];
const CLOSE_CODES = [1_003, 1_007, 1_008];

let ground: HostileGround;

beforeAll(async () => {
  ground = await HostileGround.start(['--messages-per-second', MESSAGES_PER_SECOND]);
});

afterAll(() => ground?.stop());

/** Texts as they are sent: many on one connection, while it lasts. */
function* batchesOf<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Sends texts until the server has closed or all are sent, and answers how many it took. */
async function sendBatch(texts: readonly string[]): Promise<number> {
  const client = await CompatibleClient.open(ground.service.socketUrl);
  for (const text of texts) client.socket.send(text);
  // Its answer comes after those of all texts before it.
  client.send({
    type: 'subscribe',
    channel: 'the last one',
    marketType: 'perp',
    market: 'SOL-PERP',
  });
  const isOver = () => client.errors.some(({ channel }) => channel === 'the last one');
  let close: { readonly code: number } | undefined;
  client.closed.then((how) => {
    close = how;
  });
  await until(() => isOver() || close !== undefined);
  for (const { code } of client.errors) expect(CODES).toContain(code);
  // What was sound after all was acknowledged, and got its book.
  expect(client.strange).toEqual([]);
  expect(client.frames.length > 0).toBe(client.acks.length > 0);
  if (close !== undefined) expect(CLOSE_CODES).toContain(close.code);
  else await client.close();
  return client.errors.length + client.acks.length;
}

test(`${TEXTS} malformed texts`, { timeout: 600_000 }, async (context) => {
  await ground.endure(context, async (random, share) => {
    let answers = 0;
    const texts = Array.from(hostileTexts(random, TEXTS * share), ({ text }) => text);
    await pooled(batchesOf(texts, BATCH), LANES, async (batch) => {
      const got = await sendBatch(batch);
      answers += got;
    });
    // One answer to each text, and one to the last of each batch.
    expect(answers).toBe(texts.length + Math.ceil(texts.length / BATCH));
    return `${TEXTS} texts, ${answers} answers`;
  });
});
