import { expect, test } from 'vitest';
import { newSigningKey, Signer, Verifier } from './note.js';

/** Source: golang.org/x/mod, sumdb/note/note_test.go, whose forms C2SP signed-note has. */
const SIGNER = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const VERIFIER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const NOTE = `${TEXT}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;

test('a note is signed and opened as others do', () => {
  const signer = Signer.read(SIGNER);
  expect(signer.verifierKey).toBe(VERIFIER);
  expect(signer.signNote(TEXT)).toBe(NOTE);
  expect(Verifier.read(VERIFIER).openNote(NOTE)).toBe(TEXT);
});

test.each([
  ['another text', NOTE.replace('answer', 'question')],
  ['another signature', NOTE.replace('x08go/ZJ', 'x08go/ZK')],
  ['another name', NOTE.replace('— Peter', '— Paul')],
  ['no signature', TEXT],
  ['no line end', NOTE.replace('\n\n', '\n')],
])('a note with %s is refused', (_, note) => {
  expect(Verifier.read(VERIFIER).openNote(note)).toBeNull();
});

test('signatures of other keys are passed over', () => {
  const other = Signer.read(newSigningKey('other')).signNote(TEXT).split('\n\n')[1] ?? '';
  const both = NOTE.replace('\n\n', `\n\n${other}`);
  expect(Verifier.read(VERIFIER).openNote(both)).toBe(TEXT);
});

test.each([
  'PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  'PeterNeumann+c74f20a3+AhpC2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  'PeterNeumann',
  '',
])('the key %j is refused', (key) => {
  expect(() => Verifier.read(key)).toThrow(/key/);
  expect(() => Signer.read(key)).toThrow(/key/);
});

test.each(['', 'two words', 'a+b'])('a key has no name %j', (name) => {
  expect(() => newSigningKey(name)).toThrow(/name of a key/);
});

test.each([
  ['of another log', 'other\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n'],
  ['with a size of another form', 'log\n01\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n'],
  ['with a short root', 'log\n1\nAAAA\n'],
])('a checkpoint %s is refused', (_, text) => {
  const signer = Signer.read(newSigningKey('log'));
  expect(() => signer.verifier.openCheckpoint(signer.signNote(text))).toThrow(/malformed/);
});
