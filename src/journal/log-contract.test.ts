/** The log on the model of a NATS server; `test/process/nats.test.ts` uses a real one. */
import { testGivenUp, testLog } from '../../test/support/log-contract.js';

testLog();
testGivenUp();
