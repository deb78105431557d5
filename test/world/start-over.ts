import { Random } from '../../src/sim/random.js';
import { useMachine } from '../simulation/globals.js';
import { VirtualTime } from '../simulation/virtual-time.js';
import { clearPorts } from './net.js';

/** Time and chance begin again; nothing of the world before goes on. */
export function startOver(): void {
  useMachine({ time: new VirtualTime(), random: new Random(1), wallErrorMs: 0 });
  clearPorts();
}
