import { describe, expect, test } from 'vitest';
import { decodeUpdate, encodePing, encodeRequest, encodeTransactionsRequest } from './messages.js';

const KEY = '01'.repeat(32);
const OWNER = '02'.repeat(32);
const SIGNATURE = '03'.repeat(64);

/** Made by the codecs of @triton-one/yellowstone-grpc 7.0.1, with every field of an account set. */
const ACCOUNT =
  `0a0770726f6772616d0a046b65797312ae010aa3010a20${KEY}10051a20${OWNER}200128ffffffffffffffffff01` +
  `320361626338818080808080800842${'40'}${SIGNATURE}10cecacfc40118015a0b0880e2cfaa0610c0a9d33a`;
const CLOSED = `0a046b657973124a0a460a20${KEY}1a20${OWNER}38011007`;
const REQUEST =
  '0a120a0770726f6772616d12071a054f574e45520a0e0a046b6579731206120141120142120d0a05736c6f74731204' +
  '08001001300058cecacfc401';

const TRANSACTIONS =
  '120b0a05736c6f7473120208011a160a0770726f6772616d120b080010001a054f574e4552300158cecacfc401';
/** The transaction itself, of one key; it is skipped. */
const BODY = `1a680a40${SIGNATURE}122412200101010101010101010101010101010101010101010101010101010101010101280122`;
const LOGGED =
  `0a0770726f6772616d22ed010ae4010a40${SIGNATURE}${BODY}341088271a01012201025001321050726f6772616d206c6f673a206f6e65` +
  '321250726f6772616d20646174613a204151493d800109280710cecacfc4015a060880a0f8fa05';
const FAILED = `0a0770726f6772616d22c7010abe010a40${SIGNATURE}${BODY}0e0a060a04080000001a0022005801280710cecacfc4015a060880a0f8fa05`;

const decodeHex = (hex: string) => decodeUpdate(Buffer.from(hex, 'hex'));

describe('grpc: messages', () => {
  test('an account is read with its slot and version, and what is not needed is skipped', () => {
    expect(decodeHex(ACCOUNT)).toEqual({
      kind: 'account',
      slot: 412_345_678,
      pubkey: Buffer.from(KEY, 'hex').toString('latin1'),
      owner: Buffer.from(OWNER, 'hex').toString('latin1'),
      lamports: 5,
      data: Buffer.from('abc'),
      writeVersion: 4_503_599_627_370_497,
    });
    expect(decodeHex(CLOSED)).toMatchObject({ slot: 7, lamports: 0, data: Buffer.alloc(0) });
  });

  test.each([
    ['0a05736c6f74731a0608ac0210ab02', 'processed'],
    ['0a05736c6f74731a0808ac0210ab021801', 'confirmed'],
    ['0a05736c6f74731a0808ac0210ab021802', 'finalized'],
    ['0a05736c6f74731a0808ac0210ab021805', 'begun'],
    ['0a05736c6f74731a0b08ac0210ab021806220178', 'dead'],
  ])('slot %s is %s', (hex, status) => {
    expect(decodeHex(hex)).toEqual({ kind: 'slot', slot: 300, parent: 299, status });
  });

  test('what says nothing to a book is something else', () => {
    expect(decodeHex('0a05736c6f74731a0808ac0210ab021803')).toEqual({ kind: 'other' });
    expect(decodeHex('0a05736c6f74731a0308ac02')).toMatchObject({
      parent: null,
      status: 'processed',
    });
    expect([decodeHex('3200'), decodeHex('4a0308ac02')]).toEqual([
      { kind: 'ping' },
      { kind: 'pong', id: 300 },
    ]);
  });

  test('a transaction is read with its log, and with the absence of one', () => {
    const transaction = {
      kind: 'transaction',
      slot: 412_345_678,
      signature: Buffer.from(SIGNATURE, 'hex'),
      failed: false,
      lines: ['Program log: one', 'Program data: AQI='],
    };
    expect(decodeHex(LOGGED)).toEqual(transaction);
    expect(decodeHex(FAILED)).toEqual({ ...transaction, failed: true, lines: null });
  });

  test('requests are the bytes that the codecs of the provider make', () => {
    const request = { owner: 'OWNER', accounts: ['A', 'B'], fromSlot: 412_345_678 };
    expect(encodeRequest(request).toString('hex')).toBe(REQUEST);
    const transactions = { program: 'OWNER', fromSlot: 412_345_678 };
    expect(encodeTransactionsRequest(transactions).toString('hex')).toBe(TRANSACTIONS);
    expect(encodePing(9).toString('hex')).toBe('4a020809');
  });

  test('no cut or changed message does anything but fail with its code or be read', () => {
    for (const whole of [ACCOUNT, LOGGED].map((hex) => Buffer.from(hex, 'hex'))) {
      for (let at = 0; at < whole.length; at += 1) {
        for (const bytes of [whole.subarray(0, at), Buffer.from(whole).fill(0xff, at, at + 1)]) {
          try {
            decodeUpdate(bytes);
          } catch (error) {
            expect(error).toMatchObject({ code: 'MALFORMED_STREAM_MESSAGE' });
          }
        }
      }
    }
    expect(() => decodeHex(ACCOUNT.slice(0, -40))).toThrow('a field that reaches over its end');
  });
});
