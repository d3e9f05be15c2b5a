import { once } from 'node:events';
import { request, type Agent, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * A request to the decoder, which is a process that reads photos and videos of unknown origin. The decoder runs either
 * as a child process or as a separate service (decision 0058).
 */
export interface DecoderRequest<T> {
  /** The path and the query of the request, e.g. `/v2/video?options={}`. */
  readonly path: string;
  /** The bytes of the file, or a function that opens it. The function is called again for a second attempt. */
  readonly body: Uint8Array | (() => Readable);
  readonly signal: AbortSignal;
  /** Reads the whole response. The next request starts after this promise is settled. */
  readonly read: (response: IncomingMessage) => Promise<T>;
}

export interface Decoder {
  /**
   * Sends a request and returns the result of `read`. Throws `DecoderTooSlow`, `DecoderLost`, `DecoderUnavailable`, or
   * the reason of `signal` if it aborts.
   */
  send<T>(wanted: DecoderRequest<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Error for a file that takes too long. The decoder was ended, and the file is not read again, because it would occupy
 * the decoder again.
 */
export class DecoderTooSlow extends Error {
  override readonly name = 'DecoderTooSlow';
}

/** Error for a decoder that ended during a request. The file may be the cause. */
export class DecoderLost extends Error {
  override readonly name = 'DecoderLost';
}

/** Error for a decoder that cannot be reached. The file is not the cause. */
export class DecoderUnavailable extends Error {
  override readonly name = 'DecoderUnavailable';
}

/** Error for a `read` that failed for another reason than the end of the decoder. The cause is its error. */
export class ReadFailed extends Error {
  override readonly name = 'ReadFailed';
}

/**
 * Sends one HTTP request to a decoder. Returns the result of `read`, and a promise `sent`, which rejects if the body
 * could not be sent: a decoder may respond, and close the connection, before it has received the whole body. Throws
 * `ReadFailed`, or the error of the connection.
 */
export async function exchange<T>(
  { path, body, signal, read }: DecoderRequest<T>,
  to: { readonly agent: Agent; readonly hostname?: string; readonly port?: number },
): Promise<{ readonly result: T; readonly sent: Promise<void> }> {
  const req = request({ ...to, method: 'POST', path, signal });
  const responded = once(req, 'response') as Promise<[IncomingMessage]>;
  // Without a response, `responded` rejects with the same error.
  req.on('error', () => undefined);
  const sent = pipeline(body instanceof Uint8Array ? [body] : body(), req);
  sent.catch(() => undefined);
  const [response] = await responded;
  try {
    return { result: await read(response), sent };
  } catch (error) {
    const { errored } = response;
    if (errored?.message === 'aborted') throw errored;
    throw new ReadFailed('The response could not be read', { cause: error });
  }
}
