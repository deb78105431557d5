/** How large the messages of a log are. */
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const { byteLength } = Buffer;

/** Mean bytes of the messages with turns; `stored` is JetStream's size of a message of any kind. */
export async function logSizes(url, stream) {
  const nats = await connect({ servers: url });
  const manager = await jetstreamManager(nats);
  const { state } = await manager.streams.info(stream);
  const start = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: state.first_seq };
  const messages = await (await jetstream(nats).consumers.get(stream, start)).consume();
  const sums = { turns: 0, empty: 0, payload: 0, headers: 0 };
  for await (const { data, headers, seq } of messages) {
    addMessage(sums, data, headers);
    if (seq >= state.last_seq) break;
  }
  await nats.close();
  const { turns, empty } = sums;
  const [payload, heads] = [sums.payload / turns, sums.headers / turns];
  return { turns, empty, payload, headers: heads, stored: state.bytes / state.messages };
}

function addMessage(sums, data, headers) {
  if (data.length === 0) {
    sums.empty += 1;
    return;
  }
  sums.turns += 1;
  sums.payload += data.length;
  // As they are sent: a first line, `NAME: VALUE` lines, and an empty one.
  const lines = [...(headers ?? [])].flatMap(([name, values]) =>
    values.map((one) => `${name}: ${one}`),
  );
  sums.headers += byteLength(`NATS/1.0\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`);
}
