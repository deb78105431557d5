/** JetStream of the model of a NATS server: its interface of requests, and what it stores. */
import { Consumer, type ConsumerParts } from './nats-consumer.js';
import { headersOf, type NatsMessage } from './nats-protocol.js';
import { ApiError, type AskedConfig, noStream, Stream } from './nats-stream.js';

const API = '$JS.API.';

/** What is asked of a stream, or of one of its consumers. */
interface Ask {
  readonly name: string;
  /** The rest of the subject. */
  readonly rest: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: each request has a body of its own.
  readonly body: any;
  readonly reply: string;
}

type Answer = (ask: Ask) => object | null;

export class JetStream {
  readonly #parts: ConsumerParts;
  readonly #streams = new Map<string, Stream>();
  /** By the names of stream and consumer. */
  readonly #consumers = new Map<string, Consumer>();
  readonly #answers: Readonly<Record<string, Answer>> = {
    INFO: () => ({ memory: 0, storage: 0, streams: this.#streams.size, consumers: 0 }),
    'STREAM.CREATE': ({ name, body }) => this.#createStream(name, body),
    'STREAM.UPDATE': ({ name, body }) => {
      this.#streamOf(name).update(body);
      return this.#infoOf(name);
    },
    'STREAM.INFO': ({ name }) => this.#infoOf(name),
    'STREAM.DELETE': ({ name }) => this.#deleteStream(name),
    'STREAM.PURGE': ({ name, body }) => ({
      ...{ success: true, purged: this.#streamOf(name).purge(body) },
    }),
    'STREAM.MSG.GET': ({ name, body }) => this.#readMessage(name, body),
    'CONSUMER.CREATE': ({ name, body }) => this.#createConsumer(name, body.config),
    'CONSUMER.LIST': ({ name }) => this.#listConsumers(name),
    'CONSUMER.INFO': ({ name, rest }) => this.#consumerOf(name, rest).info,
    'CONSUMER.DELETE': ({ name, rest }) => this.#deleteConsumer(name, rest),
    'CONSUMER.MSG.NEXT': ({ name, rest, body, reply }) => {
      this.#consumers.get([name, ...rest].join('.'))?.pull(reply, body);
      return null;
    },
  };

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
  }

  /** Whether a message is a request to it, or for one of its streams. */
  takeMessage(message: NatsMessage): boolean {
    const { subject } = message;
    if (subject.startsWith(`${API}DIRECT.GET.`)) return this.#getDirectly(message);
    if (subject.startsWith(API)) return this.#answer(message);
    const stream = [...this.#streams.values()].find((one) => one.takes(subject));
    if (stream === undefined) return false;
    this.#reply(message.reply, '', () => ({
      ...{ stream: stream.config.name, ...stream.append(message) },
    }));
    this.deliverAll();
    return true;
  }

  /** Sends what consumers may have by now. */
  deliverAll(): void {
    for (const consumer of this.#consumers.values()) consumer.deliver();
  }

  /** As a server that is killed forgets those of memory. */
  forgetConsumers(): void {
    for (const consumer of this.#consumers.values()) consumer.close(null);
    this.#consumers.clear();
  }

  #answer({ subject, reply, data }: NatsMessage): boolean {
    const asked = subject.slice(API.length);
    const verb = Object.keys(this.#answers).find(
      (one) => asked === one || asked.startsWith(`${one}.`),
    );
    const answer = verb === undefined ? undefined : this.#answers[verb];
    if (verb === undefined || answer === undefined) return false;
    const [name = '', ...rest] = asked.slice(verb.length + 1).split('.');
    const body = data.length === 0 ? {} : JSON.parse(data.toString());
    this.#reply(reply, verb, () => answer({ name, rest, body, reply }));
    return true;
  }

  /** Sends what comes of it; null is nothing. */
  #reply(to: string, verb: string, make: () => object | null): void {
    let content: object | null;
    try {
      content = make();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, errCode: err_code, description } = error;
      content = { error: { code, err_code, description } };
    }
    if (content === null || to === '') return;
    const type = verb.toLowerCase().replaceAll('.', '_');
    const typed = verb === '' ? content : { type: `io.nats.jetstream.api.v1.${type}`, ...content };
    const data = Buffer.from(JSON.stringify(typed));
    this.#parts.publish({ subject: to, reply: '', headers: null, data });
  }

  #streamOf(name: string): Stream {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw noStream();
    return stream;
  }

  #infoOf(name: string): object {
    const { config, created, state } = this.#streamOf(name);
    return { config, created, state };
  }

  #createStream(name: string, asked: AskedConfig): object {
    const known = this.#streams.get(name);
    if (known !== undefined && !known.isAsked(asked)) {
      const text = 'stream name already in use with a different configuration';
      throw new ApiError(400, 10_058, text);
    }
    if (known === undefined) this.#streams.set(name, new Stream(asked));
    return { ...this.#infoOf(name), did_create: known === undefined };
  }

  #deleteStream(name: string): object {
    this.#streamOf(name);
    this.#streams.delete(name);
    for (const [key, consumer] of [...this.#consumers]) {
      if (!key.startsWith(`${name}.`)) continue;
      consumer.close('409 Consumer Deleted');
      this.#consumers.delete(key);
    }
    return { success: true };
  }

  #readMessage(name: string, query: object): object {
    const { subject, seq, headers, data, timeMs } = this.#streamOf(name).find(query);
    const hdrs = headers === null ? {} : { hdrs: headers.toString('base64') };
    const time = new Date(timeMs).toISOString();
    return { message: { subject, seq, ...hdrs, data: data.toString('base64'), time } };
  }

  #getDirectly({ subject, reply, data }: NatsMessage): boolean {
    const [name = '', ...rest] = subject.slice(`${API}DIRECT.GET.`.length).split('.');
    const query = rest.length > 0 ? { last_by_subj: rest.join('.') } : JSON.parse(data.toString());
    const none = { subject: reply, reply: '', data: Buffer.alloc(0) };
    try {
      const stored = this.#streamOf(name).find(query);
      const lines = [
        ...[`Nats-Stream: ${name}`, `Nats-Subject: ${stored.subject}`],
        `Nats-Sequence: ${stored.seq}`,
        `Nats-Time-Stamp: ${new Date(stored.timeMs).toISOString()}`,
        ...(stored.headers?.toString().trim().split('\r\n').slice(1) ?? []),
      ];
      this.#parts.publish({ ...none, headers: headersOf('', lines), data: stored.data });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#parts.publish({ ...none, headers: headersOf('404 Message Not Found') });
    }
    return true;
  }

  #createConsumer(stream: string, config: { readonly name: string }): object {
    const consumer = new Consumer(this.#streamOf(stream), config, this.#parts);
    this.#consumers.set(`${stream}.${config.name}`, consumer);
    return consumer.info;
  }

  #listConsumers(stream: string): object {
    const found = [...this.#consumers].filter(([key]) => key.startsWith(`${stream}.`));
    const consumers = found.map(([, { info }]) => info);
    const type = 'io.nats.jetstream.api.v1.consumer_list_response';
    return { type, total: consumers.length, offset: 0, limit: 256, consumers };
  }

  #consumerOf(stream: string, rest: readonly string[]): Consumer {
    this.#streamOf(stream);
    const consumer = this.#consumers.get([stream, ...rest].join('.'));
    if (consumer === undefined) throw new ApiError(404, 10_014, 'consumer not found');
    return consumer;
  }

  #deleteConsumer(stream: string, rest: readonly string[]): object {
    this.#consumerOf(stream, rest).close('409 Consumer Deleted');
    this.#consumers.delete([stream, ...rest].join('.'));
    return { success: true };
  }
}
