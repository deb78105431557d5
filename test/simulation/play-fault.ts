/** A fault befalls a node, and the first gRPC server, and is over after a while. */
import type { FaultKind, FaultTarget } from './faults.js';
import { currentMachine } from './globals.js';
import { type ModelGrpc, soundServer } from './model-grpc.js';
import { soundNode } from './node-faults.js';

interface PlayedFault {
  readonly kind: FaultKind;
  readonly lastsMs: number;
  readonly target: FaultTarget;
  readonly server?: ModelGrpc | undefined;
}

/** Begins a fault now; both are as sound as before when it is over. */
export function playFault(played: PlayedFault, onOver: () => void = () => undefined): void {
  const { kind, lastsMs, target, server } = played;
  const { node } = target;
  const ofNode = kind.node?.(target) ?? {};
  const ofServer = kind.server?.(target) ?? {};
  if (server !== undefined) Object.assign(server.faults, ofServer);
  if (kind.cutsServer === true) server?.cutConnections();
  Object.assign(node.faults, ofNode);
  kind.begin?.(target, lastsMs);
  currentMachine().time.plan(lastsMs, () => {
    Object.assign(node.faults, partOf(soundNode(), ofNode));
    if (server !== undefined) Object.assign(server.faults, partOf(soundServer(), ofServer));
    kind.end?.(target);
    onOver();
  });
}

/** The members of the first that the second has. */
function partOf<T extends object>(all: T, of: Partial<T>): Partial<T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in of)) as Partial<T>;
}
