import { VerifyError } from './error.js';
import { RESPONSE_BYTES_MAX, RESPONSE_MS_MAX } from './limits.js';

/** A response of the service. */
interface ServiceResponse {
  readonly status: number;
  readonly text: string;
}

/** Reads paths of a running service. Errors contain its host and never a key from its address. */
export class ServiceClient {
  readonly #url: string;
  readonly #host: string;

  constructor(url: string) {
    this.#url = url;
    this.#host = new URL(url).host;
  }

  /**
   * Reads a path below the service's address.
   *
   * # Errors
   *
   * Rejects with `SERVICE_UNREACHABLE` or `SERVICE_BODY_EXCEEDED`.
   */
  async getText(path: string): Promise<ServiceResponse> {
    const { status, bytes } = await this.#get(path);
    return { status, text: bytes.toString() };
  }

  /** Reads a path as bytes; rejects as {@link ServiceClient.getText}, and for another status than 200. */
  async getBytes(path: string): Promise<Uint8Array> {
    const { status, bytes } = await this.#get(path);
    if (status === 200) return bytes;
    throw new VerifyError('MALFORMED_SERVICE_ANSWER', `${path} was answered with ${status}`);
  }

  async #get(path: string): Promise<{ readonly status: number; readonly bytes: Buffer }> {
    try {
      const signal = AbortSignal.timeout(RESPONSE_MS_MAX);
      const response = await fetch(`${this.#url}${path}`, { signal });
      return { status: response.status, bytes: await this.#readBytes(response) };
    } catch (error) {
      if (error instanceof VerifyError) throw error;
      const message = `the service at ${this.#host} does not answer: ${reasonOf(error)}`;
      throw new VerifyError('SERVICE_UNREACHABLE', message);
    }
  }

  async #readBytes(response: Response): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of response.body ?? []) {
      parts.push(part);
      bytes += part.length;
      if (bytes <= RESPONSE_BYTES_MAX) continue;
      const message = `a response of ${this.#host} was larger than ${RESPONSE_BYTES_MAX} bytes`;
      throw new VerifyError('SERVICE_BODY_EXCEEDED', message);
    }
    return Buffer.concat(parts);
  }
}

/** Returns the name of the failure, because messages of fetch may contain the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.name;
}
