/** The log on a real NATS server; `src/journal/log-contract.test.ts` is the same on the model of one. */
import { testLog } from '../support/log-contract.js';

testLog();
