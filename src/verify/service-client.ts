import { fetchFailure, readResponse } from '../contract/service-response.js';
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
      const bytes = await readResponse(response, RESPONSE_BYTES_MAX, () => this.#bodyExceeded());
      return { status: response.status, bytes };
    } catch (error) {
      if (error instanceof VerifyError) throw error;
      const message = `the service at ${this.#host} does not answer: ${fetchFailure(error)}`;
      throw new VerifyError('SERVICE_UNREACHABLE', message);
    }
  }

  #bodyExceeded(): VerifyError {
    const message = `a response of ${this.#host} was larger than ${RESPONSE_BYTES_MAX} bytes`;
    return new VerifyError('SERVICE_BODY_EXCEEDED', message);
  }
}
