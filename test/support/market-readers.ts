/** Readers of live candles and trades, and their messages since the last snapshot. */
import { Probe } from './socket-scene.js';
import { until } from './until.js';

/** The tested members of the messages, for all three kinds of readers. */
interface Message {
  readonly type?: string;
  readonly code?: string;
  readonly leftOut?: string;
  readonly data?: unknown;
  readonly candle?: {
    readonly ts: number;
    readonly baseVolume: number;
    readonly fillClose: number;
  };
  readonly trades?: readonly { readonly fillRecordId: string }[];
}

/** A reader's messages between two snapshots. */
export interface Stretch {
  /** The trades that it was shown when the stretch began; only readers of trades are. */
  readonly shown: readonly number[];
  /** The trades that it was told then, in order. */
  readonly told: readonly number[];
  /** The last candle. */
  readonly candle: Message['candle'];
}

/** One client with one subscription. */
export class MarketReader {
  private constructor(private readonly probe: Probe) {}

  static async open(url: string, subscription: object): Promise<MarketReader> {
    const reader = new MarketReader(await Probe.open(`${url.replace('http', 'ws')}/ws`));
    reader.probe.send({ type: 'subscribe', ...subscription });
    await reader.probe.settle();
    await until(() => reader.messages.some((one) => isAcknowledgement(one)));
    return reader;
  }

  close(): Promise<void> {
    return this.probe.close();
  }

  get messages(): readonly Message[] {
    return this.probe.texts.map((text) => JSON.parse(text) as Message);
  }

  /** Errors that it was told. */
  get errors(): readonly Message[] {
    return this.messages.filter(({ type }) => type === 'error');
  }

  /** All stretches; the first begins with the subscription. */
  get stretches(): readonly Stretch[] {
    const stretches: (Stretch & { shown: number[]; told: number[] })[] = [];
    let [shown, told, candle]: [number[], number[], Message['candle']] = [[], [], undefined];
    const end = (): void => void stretches.push({ shown, told, candle });
    for (const message of this.messages) {
      const isAnew = message.type === 'init' || message.leftOut !== undefined;
      if (isAnew) {
        end();
        [shown, told] = [idsOf(message), []];
      } else told.push(...idsOf(message));
      candle = message.candle ?? candle;
    }
    end();
    return stretches;
  }

  get last(): Stretch {
    const last = this.stretches.at(-1);
    if (last === undefined) throw new Error('Invariant: there is one');
    return last;
  }
}

function isAcknowledgement({ type, ...message }: Message & { readonly message?: string }): boolean {
  return type === 'subscription' || message.message?.startsWith('Subscribe received') === true;
}

function idsOf({ trades, data }: Message): number[] {
  if (typeof data === 'string') return [Number(JSON.parse(data).fillRecordId)];
  return (trades ?? []).map(({ fillRecordId }) => Number(fillRecordId));
}
