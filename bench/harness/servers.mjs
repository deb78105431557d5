/** The processes of `bench/service`: servers on one core, load and readers on the other. */
import { fileURLToPath } from 'node:url';
import { LOAD_CPU, pinned, SERVER_CPU } from './cpu.mjs';
import { EngineProcess } from './engine-process.mjs';

/** A server under measurement. */
export function startServer(name) {
  return startPinned(name, SERVER_CPU);
}

/** What keeps a server busy, or listens to it. */
export function startLoad(name) {
  return startPinned(name, LOAD_CPU);
}

function startPinned(name, cpu) {
  const script = fileURLToPath(new URL(`../service/${name}.mjs`, import.meta.url));
  const { command, args } = pinned(cpu, process.execPath, [script]);
  return new EngineProcess(command, args);
}

/** One message of every reader. */
export function sendAll(readers, message) {
  return readers.ask(`send ${Buffer.from(JSON.stringify(message)).toString('base64')}`);
}
