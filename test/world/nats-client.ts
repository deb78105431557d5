/**
 * Stands in for the packages of NATS: their own code, loaded again with the clocks, the chance and the streams of a
 * world. Only servers are models ({@link NatsServer} of `nats-server.ts`).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { currentMachine, VirtualDate, virtualTimers } from '../simulation/globals.js';
import * as net from './net.js';

interface Loaded {
  readonly exports: Record<string, unknown>;
}

const loaded = new Map<string, Loaded>();

const globals = {
  ...virtualTimers,
  Date: VirtualDate,
  Math: Object.create(Math, {
    random: { value: () => currentMachine().random.nextBelow(2 ** 32) / 2 ** 32 },
  }) as Math,
  performance: { now: () => currentMachine().time.readMs() },
  // Names are drawn from here, and with it from the chance of the machine.
  globalThis: {},
};

/** A module of these packages, or a real one for any other. */
function load(name: string, from: string): Record<string, unknown> {
  const real = createRequire(from);
  if (name === 'node:net') return net;
  const file = name.startsWith('node:') ? name : real.resolve(name);
  if (!file.includes('/@nats-io/')) return real(name) as Record<string, unknown>;
  const known = loaded.get(file);
  if (known !== undefined) return known.exports;
  const module: Loaded = { exports: {} };
  loaded.set(file, module);
  const code = readFileSync(file, 'utf8');
  const names = ['exports', 'require', 'module', ...Object.keys(globals)];
  const run = compileFunction(code, names, { filename: file }) as (...given: unknown[]) => void;
  const require = (wanted: string): Record<string, unknown> => load(wanted, file);
  run(module.exports, require, module, ...Object.values(globals));
  return module.exports;
}

function packageOf(name: string): Record<string, never> {
  return load(`@nats-io/${name}`, import.meta.url) as Record<string, never>;
}

export const { connect, headers, nanos, AuthorizationError, UserAuthenticationExpiredError } =
  packageOf('transport-node');
export const { jetstream, jetstreamManager, JetStreamApiError } = packageOf('jetstream');
export const { DeliverPolicy, DiscardPolicy, RetentionPolicy, StorageType } =
  packageOf('jetstream');
export const { Kvm } = packageOf('kv');
export const { Objm } = packageOf('obj');
