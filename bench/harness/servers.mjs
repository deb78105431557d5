/** The processes of `bench/service` and `bench/peers`: servers on one core, load and readers on the other. */
import { fileURLToPath } from 'node:url';
import { LOAD_CPU, pinned, SERVER_CPU } from './cpu.mjs';
import { EngineProcess } from './engine-process.mjs';
import { coreBinary } from './setup.mjs';

/** A server under measurement. */
export function startServer(name) {
  return startPinned(`service/${name}`, SERVER_CPU);
}

/** Starts a process of `bench/peers` in the place of a server. */
export function startPeer(name) {
  return startPinned(`peers/${name}`, SERVER_CPU);
}

/** Starts a process that sends load to a server or subscribes to it. */
export function startLoad(name) {
  return startPinned(`service/${name}`, LOAD_CPU);
}

/** Starts many readers of one server, whose commands are those of `slotbook-bench-readers`. */
export function startReaders() {
  const { command, args } = pinned(LOAD_CPU, coreBinary('slotbook-bench-readers'), []);
  return new EngineProcess(command, args);
}

function startPinned(name, cpu) {
  const script = fileURLToPath(new URL(`../${name}.mjs`, import.meta.url));
  const { command, args } = pinned(cpu, process.execPath, [script]);
  return new EngineProcess(command, args);
}

/** The depth of the books that readers subscribe to: that of the compatible channel. */
const DEPTH = 20;

/**
 * A subscription to a perp market's orders on `book`, the streaming channel, or on `orderbook`,
 * which includes the AMM's levels by default.
 */
export function subscription(channel, market, more = {}) {
  const members =
    channel === 'book' ? { depth: DEPTH } : { marketType: 'perp', includeVamm: false };
  return { type: 'subscribe', channel, market, ...members, ...more };
}

/** One message of every reader. */
export function sendAll(readers, message) {
  return readers.ask(`send ${Buffer.from(JSON.stringify(message)).toString('base64')}`);
}

/** The frames that the first reader has had since `capture`, as texts. */
export async function captured(readers) {
  return (await capturedBytes(readers)).map(String);
}

/** The same as bytes. */
export async function capturedBytes(readers) {
  const { payloads } = await readers.ask('captured');
  return payloads.map((payload) => Buffer.from(payload, 'base64'));
}
