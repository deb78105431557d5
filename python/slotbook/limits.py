"""The limits of this package, each with its reason. Times are in seconds."""

#: Rows of each side in the checksum, from docs/streaming-client.md.
CHECKSUM_ROWS = 10
#: The service announces that a message has at most a mebibyte.
MESSAGE_BYTES_MAX = 1 << 20
#: Rows of a side, and keys that a frame may refer back to, from docs/binary.md.
ROWS_MAX = 1_000
KEYS_NAMED_MAX = 64
TEXT_BYTES_MAX = 512

#: A TLS handshake across the world takes a second.
CONNECT_S = 10.0
#: From a subscription to its answer.
ANSWER_S = 5.0
#: A topic sends a frame each second; the rest of this time is for the network.
SILENCE_S = 3.0
#: The first book of a past moment may take seconds.
REPLAY_SILENCE_S = 15.0
#: A socket without a message for so long is pinged; without an answer it is dead.
PING_S = 10.0
PONG_S = 5.0
#: Between two looks for silence; a look that comes later than LATE_S follows a pause of the process.
LOOK_S = 0.25
LATE_S = 1.0
#: Before a subscription is asked for again; a book that breaks twice within it gets another connection.
AGAIN_S = 1.0
#: The bound of the pause before a connection or a request doubles from the first to the second.
PAUSE_FIRST_S = 0.25
PAUSE_CAP_S = 5.0
#: A longer wait that the service asks for is not waited for.
PAUSE_ASKED_MAX_S = 30.0
#: Messages a second, and at once; a service accepts 50 and 1,024.
MESSAGES_PER_SECOND = 40
MESSAGE_BURST = 1_000
#: Subscriptions of a socket, the service's maximum.
SUBSCRIPTIONS_MAX = 1_024
#: Streams of bytes that are remembered: each restart of the service begins others.
STREAMS_MAX = 2 * SUBSCRIPTIONS_MAX

#: One attempt of a request, and attempts after the first: together they outlast a restart of the service.
REQUEST_S = 20.0
RETRIES_MAX = 4
#: Records of a page, the service's maximum.
PAGE_MAX = 1_000
#: Pages of a repair of trades: hours of the busiest market.
REPAIR_PAGES_MAX = 10
#: Trades before the last one that a repair reads again, as they may come late or be reverted.
REREAD = 200
#: Trades that are remembered, and messages of trades that wait for a slow loop: a bot that is so far behind is told.
TRADES_KNOWN = 1_200
BATCHES_WAITING_MAX = 1_000
#: Candles that are remembered and read again after a loss: more than the service changes in one message.
CANDLES_KNOWN = 32
#: Books of a replay that wait for a slow loop before the replay is held.
REPLAY_WAITING_MAX = 256
