/** Each test file has a world of its own, which begins at the same moment and with the same chance. */

import { Random } from '../../src/sim/random.js';
import { useMachine } from '../simulation/globals.js';
import { VirtualTime } from '../simulation/virtual-time.js';
import { clearPorts } from './net.js';

useMachine({ time: new VirtualTime(), random: new Random(1), wallErrorMs: 0 });
clearPorts();
