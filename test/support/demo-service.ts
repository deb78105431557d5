import { startDemoService } from '../../src/app/start-service.js';
import { ConfigReader } from '../../src/config/config.js';
import type { Flags } from '../../src/config/setting-reader.js';
import { until } from './until.js';

/** The demo as its command starts it, in this process. */
export class DemoService {
  private constructor(private readonly service: Awaited<ReturnType<typeof startDemoService>>) {}

  /** Starts it with these settings, and waits until its book is live. */
  static async start(settings: Flags): Promise<DemoService> {
    const flags = { port: '0', logLevel: 'silent', ...settings };
    const demo = new DemoService(await startDemoService(new ConfigReader(flags, {}).readDemo()));
    await until(async () => (await demo.get('/ready')).status === 200);
    return demo;
  }

  get url(): string {
    return this.service.url;
  }

  get socketUrl(): string {
    return `${this.url.replace('http', 'ws')}/ws`;
  }

  async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${this.url}${path}`);
    return { status: response.status, text: await response.text() };
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}
