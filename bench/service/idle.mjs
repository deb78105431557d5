/** A process that does nothing but watch its loop: what the machine does to every process. */
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
