/** An appender whose real NATS server stands still. */
import { testGivenUp } from '../support/log-contract.js';

testGivenUp();
