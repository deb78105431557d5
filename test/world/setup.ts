/** Each test file has a world of its own, which begins at the same moment and with the same chance. */
import { startOver } from './start-over.js';

startOver();
