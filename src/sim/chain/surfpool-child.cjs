// Hosts one Surfpool chain for its parent, so that the chain can be stopped, paused or killed without harm to the
// parent and its native threads stay out of it. It ends when the IPC channel closes, that is, also when the parent is
// killed. Usage: fork(this file, [name of Surfpool's package, JSON of the start configuration]).
'use strict';

// Surfpool's event channel is bounded at about 1,024 events and the whole server freezes when it is full, so it must be
// drained all the time. Each slot is announced there first; a short period lets the parent know a slot before the
// notifications written in it arrive.
const DRAIN_EVENTS_MS = 5;

function fail(code, message) {
  process.send({ kind: 'failed', code, message }, () => process.exit(1));
}

function host(Surfnet, config) {
  const surfnet = Surfnet.startWithConfig(JSON.parse(config));
  setInterval(() => {
    for (const event of surfnet.drainEvents()) {
      if (event.kind === 'systemClockUpdated' && process.connected) {
        process.send({ kind: 'slot', slot: event.clock.slot, unixSeconds: event.clock.unixTimestamp });
      }
    }
  }, DRAIN_EVENTS_MS);
  process.on('message', (message) => {
    if (message !== 'stop') return;
    surfnet.stop();
    process.exit(0);
  });
  process.send({ kind: 'ready', rpcUrl: surfnet.rpcUrl, wsUrl: surfnet.wsUrl });
}

process.on('disconnect', () => process.exit(0));

const [packageName, config] = process.argv.slice(2);

let Surfnet;
try {
  ({ Surfnet } = require(packageName));
} catch (error) {
  fail('CHAIN_BINARY_NOT_FOUND', `${packageName} cannot be loaded (${error.message})`);
}
if (Surfnet !== undefined) {
  try {
    host(Surfnet, config);
  } catch (error) {
    fail('CHAIN_START_FAILED', error.message);
  }
}
