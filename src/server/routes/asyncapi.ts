/**
 * /asyncapi.json: an AsyncAPI 3.0 document of all WebSocket channels. Its sources are the channel
 * tables that also parse messages, and the schemas in docs/schemas.
 */
import type { BuildInfo } from '../../config/build-info.js';
import type { TopicSpec } from '../../contract/topics.js';
import {
  type MessageSchemas,
  messagesOf,
  readMessageSchemas,
  SCHEMA_FILES,
  type SchemaFile,
} from '../api/message-schemas.js';
import { COMPATIBLE_CHANNELS } from '../sockets/compatible-dialect.js';
import { MARKET_CHANNELS, type MarketChannel } from '../sockets/market-dialect.js';
import { STREAM_CHANNELS } from '../sockets/stream-dialect.js';

type Json = Readonly<Record<string, unknown>>;

/** A description of channels; all channels of one WebSocket have the same address. */
export type AsyncDescription = ReturnType<typeof describeChannels>;

/** The channels of one kind of message. */
interface Dialect {
  readonly name: string;
  readonly address: string;
  readonly file: SchemaFile;
  readonly description: string;
  readonly channels: readonly string[];
  /** Selects the messages of this channel, without the messages of all channels. */
  readonly isOwn: (message: string, channel: string) => boolean;
}

/** The schemas of the market data dialect, by channel. */
const OF_MARKET: Readonly<Partial<Record<MarketChannel, readonly string[]>>> = {
  candle: ['candleRequest', 'candleInit', 'candleChange'],
  trades: ['marketRequest', 'tradesMessage'],
  orderbook: ['marketRequest', 'bookMessage'],
};

/** The schemas of all other channels of the dialect, which are statistics. */
const OF_STATISTICS = ['summaryRequest', 'summaryMessage'];

const DIALECTS: readonly Dialect[] = [
  {
    name: 'stream',
    address: '/ws',
    file: 'stream',
    description: 'One snapshot and then its changes, with checksums; docs/streaming.md.',
    channels: STREAM_CHANNELS,
    isOwn: isOfStream,
  },
  {
    name: 'stream',
    address: '/ws',
    file: 'user-stream',
    description: 'An account as one snapshot and then its changes; docs/user-stream.md.',
    channels: ['user'],
    isOwn: () => false,
  },
  {
    name: 'market',
    address: '/ws',
    file: 'market-stream',
    description: 'Candles, trades, books in decimals and statistics; docs/market-streams.md.',
    channels: MARKET_CHANNELS,
    isOwn: (message, channel) =>
      (OF_MARKET[channel as MarketChannel] ?? OF_STATISTICS).includes(message),
  },
  {
    name: 'compatible',
    address: '/ws',
    file: 'compatible-stream',
    description: 'Whole books and trades in the form of the Drift v2 servers; docs/websocket.md.',
    channels: COMPATIBLE_CHANNELS,
    isOwn: (message, channel) => message.startsWith(channel === 'trades' ? 'trade' : 'book'),
  },
  {
    name: 'quotes',
    address: '/quotes/ws',
    file: 'quotes-stream',
    description: "Makers' indicative quotes; docs/quotes.md.",
    channels: ['quotes'],
    isOwn: () => false,
  },
];

/** `bookDelta` and `subscribeBook` are of `book`. */
function isOfStream(message: string, channel: TopicSpec['channel'] | string): boolean {
  const name = message.replace(/^(un)?subscribe(?=[A-Z])/, '').toLowerCase();
  return [channel, `${channel}snapshot`, `${channel}delta`].includes(name);
}

/** Describes every channel. */
export function describeChannels({ version }: BuildInfo) {
  const schemas = new Map(SCHEMA_FILES.map((file) => [file, readMessageSchemas(file)]));
  const parts = [...schemas].flatMap(([file, { $defs }]) =>
    Object.entries($defs)
      .filter(([name]) => name !== 'client' && name !== 'server')
      .map(([name, schema]) => ({ key: `${file}.${name}`, schema: relocate(schema, file) })),
  );
  const channels = DIALECTS.flatMap((dialect) => channelsOf(dialect, schemas.get(dialect.file)));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'slotbook',
      version,
      description:
        'The WebSockets of slotbook, the order book of Drift v2. Several channels share a socket; /ws is also under /v1, /dlob and /data.',
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host: '{host}',
        protocol: 'ws',
        description: 'Behind a proxy with TLS the protocol is wss.',
        variables: { host: { default: '127.0.0.1:8080' } },
      },
    },
    channels: Object.fromEntries(channels.map(({ name, item }) => [name, item])),
    operations: Object.fromEntries(channels.flatMap(operationsOf)),
    components: {
      schemas: Object.fromEntries(parts.map(({ key, schema }) => [key, schema])),
      messages: Object.fromEntries(channels.flatMap(({ messages }) => messages)),
    },
  };
}

type DescribedChannel = ReturnType<typeof channelsOf>[number];

function channelsOf(dialect: Dialect, schemas: MessageSchemas | undefined) {
  if (schemas === undefined) throw new Error(`Invariant: ${dialect.file} is read`);
  const { channels, isOwn, file, address, description } = dialect;
  return channels.map((channel) => {
    const isShown = (message: string): boolean =>
      isOwn(message, channel) || !channels.some((other) => isOwn(message, other));
    const [client, server] = (['client', 'server'] as const).map((side) =>
      messagesOf(schemas, side).filter(isShown),
    );
    const all = [...(client ?? []), ...(server ?? [])];
    const refs = all.map((name) => [name, { $ref: `#/components/messages/${file}.${name}` }]);
    const title = `${channel}, ${dialect.name === channel ? 'of makers' : dialect.name}`;
    return {
      name: dialect.name === channel ? channel : `${dialect.name}.${channel}`,
      item: { address, title, description, messages: Object.fromEntries(refs) },
      client: client ?? [],
      server: server ?? [],
      // The messages as components of the document, by their keys.
      messages: all.map((name) => [`${file}.${name}`, messageOf(file, name, schemas)] as const),
    };
  });
}

function messageOf(file: SchemaFile, name: string, { $defs }: MessageSchemas): Json {
  const summary = $defs[name]?.['description'];
  return {
    name,
    ...(summary === undefined ? {} : { summary }),
    payload: {
      schemaFormat: 'application/schema+json;version=2020-12',
      schema: { $ref: `#/components/schemas/${file}.${name}` },
    },
  };
}

/** Describes the operations: the service receives the clients' messages and sends all others. */
function operationsOf({ name, client, server }: DescribedChannel): [string, Json][] {
  const operation = (action: 'receive' | 'send', messages: readonly string[]): [string, Json] => [
    `${action}.${name}`,
    {
      action,
      channel: { $ref: `#/channels/${name}` },
      messages: messages.map((message) => ({ $ref: `#/channels/${name}/messages/${message}` })),
    },
  ];
  return [operation('receive', client), operation('send', server)];
}

/** Rewrites the references of a schema file to the joint list of all files' schemas. */
function relocate(schema: unknown, file: SchemaFile): unknown {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', `"#/components/schemas/${file}.`);
  return JSON.parse(text);
}
