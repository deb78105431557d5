/** The faults that a real chain has behind its relay. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RelayRig, RelayRigOptions } from './support/relay-rig.js';

/** What goes wrong, and when it is over. */
export interface RelayedFault {
  readonly name: string;
  /** Makes it happen, and calls `returned` when it is over. */
  readonly run: (rig: RelayRig) => Promise<void>;
  readonly options?: Omit<RelayRigOptions, 'seed'>;
  readonly backMsMax?: number;
  /** Why wrong levels may be live until the next audit; none may be where nothing is said. */
  readonly wrongUntilAudit?: string;
}

/** The process of the chain stands still: sockets stay open, and nothing is answered. */
async function stop(rig: RelayRig, seconds: number): Promise<void> {
  rig.lived.chain.pause();
  await sleep(seconds * 1_000);
  rig.lived.chain.resume();
  rig.watch.returned();
}

/** The network holds everything back, while the chain goes on. */
async function stall(rig: RelayRig, seconds: number): Promise<void> {
  rig.relay.stallFor(seconds * 1_000);
  await sleep(seconds * 1_000);
  rig.watch.returned();
}

export const RELAYED_FAULTS: readonly RelayedFault[] = [
  {
    name: 'the relay cuts ten times',
    run: async (rig) => {
      for (let count = 0; count < 10; count += 1) {
        rig.relay.cutSessions({ downMs: (count % 3) * 30 });
        await sleep(100 + count * 30);
      }
      rig.relay.cutSessions();
      rig.watch.returned();
    },
  },
  {
    name: 'the network is down for two seconds',
    run: async (rig) => {
      rig.relay.cutSessions({ downMs: 2_000 });
      await sleep(2_000);
      rig.watch.returned();
    },
  },
  {
    name: 'the chain is killed, and another begins',
    run: async (rig) => {
      await rig.replaceChain();
      rig.watch.returned();
    },
  },
  { name: 'the chain stands still for 3 s', run: (rig) => stop(rig, 3) },
  { name: 'the chain stands still for 10 s', run: (rig) => stop(rig, 10) },
  { name: 'the chain stands still for 30 s', run: (rig) => stop(rig, 30) },
  { name: 'the network stalls for 3 s', run: (rig) => stall(rig, 3) },
  {
    name: 'the network stalls for 5 s, shorter than a connection lives',
    run: (rig) => stall(rig, 5),
  },
  { name: 'the network stalls for 10 s', run: (rig) => stall(rig, 10) },
  { name: 'the network stalls for 30 s', run: (rig) => stall(rig, 30) },
  {
    name: 'messages are 300 ms late, now and then',
    run: async (rig) => {
      for (let count = 0; count < 4; count += 1) {
        rig.relay.delayBy(300);
        await sleep(400);
        rig.relay.delayBy(0);
        await sleep(400);
      }
      rig.watch.returned();
    },
  },
  {
    name: 'the relay loses notifications',
    options: { makers: 200, forgiving: true, settings: { auditIntervalMs: '1000' } },
    wrongUntilAudit: 'nothing tells of a notification that is lost',
    // The next audit, the two slots that it waits for, and its work.
    backMsMax: 3_000,
    run: async (rig) => {
      for (let count = 0; count < 20; count += 1) {
        rig.relay.dropNotifications(2);
        await sleep(150);
      }
      rig.lived.load(0);
      rig.watch.returned();
    },
  },
];
