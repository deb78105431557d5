/**
 * The whole service as `slotbook serve` starts it, with a monitor of its event loop in the same
 * process. Commands: see `verbs`.
 */

import { startService } from '../../dist/src/app/start-service.js';
import { ConfigReader } from '../../dist/src/config/config.js';
import { answerCommands } from './commands.mjs';
import { LoopMonitor } from './loop-monitor.mjs';

const monitor = new LoopMonitor();
let service;

/**
 * The service prints for people when its port is bound and when its book is live; this process's
 * responses use another descriptor. Work before the port is bound delays no client.
 */
const live = new Promise((resolve) => {
  process.stdout.write = (text) => {
    // Lines come together, the page's first where there is one.
    if (/^book /m.test(String(text))) monitor.begin();
    if (String(text).startsWith('ready ')) resolve();
    return true;
  };
});

await answerCommands({
  /**
   * `start RPC-URL WS-URL AUDIT-INTERVAL-MS [DATA-DIR]`: begins a phase when the port is bound. Without
   * a folder there is no history.
   */
  async start(rpcUrl, wsUrl, auditIntervalMs, dataDir) {
    const history = dataDir === undefined ? { history: false } : { dataDir };
    const flags = { rpcUrl, wsUrl, auditIntervalMs, port: '0', logLevel: 'silent', ...history };
    service = await startService(new ConfigReader(flags, {}).readService());
    await live;
    return { url: service.url };
  },

  begin() {
    monitor.begin();
    return {};
  },

  end: () => monitor.end(),

  async stop() {
    await service.stop();
    return {};
  },
});
