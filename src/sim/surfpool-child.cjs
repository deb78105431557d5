// Hosts one Surfpool chain for its parent, so that the chain can be stopped, paused or killed without harm to the
// parent and its native threads stay out of it. Usage: fork(this file, [JSON of the start configuration]).
// It ends when the IPC channel closes, that is, also when the parent is killed.
'use strict';

// Surfpool's event channel is bounded at about 1,024 events and the whole server freezes when it is full, so it must be
// drained all the time. Each slot is announced there first; a short period lets the parent know a slot before the
// notifications written in it arrive.
const DRAIN_EVENTS_MS = 5;

const PACKAGES = {
  'linux-x64': '@solana/surfpool-linux-x64-gnu',
  'darwin-arm64': '@solana/surfpool-darwin-arm64',
};

function fail(code, message) {
  process.send({ kind: 'failed', code, message }, () => process.exit(1));
}

function loadSurfnet() {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) throw new Error(`Surfpool has no binary for ${process.platform}-${process.arch}`);
  return require(name).Surfnet;
}

function host(Surfnet) {
  const surfnet = Surfnet.startWithConfig(JSON.parse(process.argv[2]));
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

let Surfnet;
try {
  Surfnet = loadSurfnet();
} catch (error) {
  fail('CHAIN_BINARY_NOT_FOUND', error.message);
}
if (Surfnet !== undefined) {
  try {
    host(Surfnet);
  } catch (error) {
    fail('CHAIN_START_FAILED', error.message);
  }
}
