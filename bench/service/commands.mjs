/** A process of a benchmark: one command a line on standard input, one JSON reply a line back. */
import { createInterface } from 'node:readline';

const write = process.stdout.write.bind(process.stdout);

/**
 * Runs commands of the form `VERB WORD...` in order and writes the result of
 * `verbs[VERB](...words)`, until standard input ends; then ends the process.
 */
export async function answerCommands(verbs) {
  for await (const line of createInterface({ input: process.stdin })) {
    write(`${JSON.stringify(await answerTo(line, verbs))}\n`);
  }
  process.exit();
}

async function answerTo(line, verbs) {
  const [verb, ...words] = line.split(' ');
  if (verbs[verb] === undefined) return { error: `unknown command ${verb}` };
  try {
    return await verbs[verb](...words);
  } catch (error) {
    return { error: error.stack ?? String(error) };
  }
}
