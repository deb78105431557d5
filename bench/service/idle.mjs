/** A process that only watches its event loop, to measure the machine's own delays. */
import { answerCommands } from './commands.mjs';
import { LoopMonitor } from './loop-monitor.mjs';

const monitor = new LoopMonitor();

await answerCommands({
  /** `begin`: begins a phase. */
  begin() {
    monitor.begin();
    return {};
  },
  /** `end`: the results of the phase. */
  end: () => monitor.end(),
});
