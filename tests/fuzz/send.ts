import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Sends requests exactly as they are generated. Other HTTP clients correct or reject invalid requests. */

export interface WireRequest {
  readonly method: string;
  /** Path and query of the request, exactly as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Returns a function that sends requests to the product at `url` over persistent connections. */
export function createWireClient(
  url: string,
  { connections, timeout_ms }: { readonly connections: number; readonly timeout_ms: number },
) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  /** Sends a request. Rejects if the response is not complete within the time limit. */
  function send({ method, target, headers, body }: WireRequest): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeout_ms);
      const length: Record<string, string> = body === null ? {} : { 'Content-Length': String(body.length) };
      const outgoing = request(
        { hostname, port, method, path: target, headers: { ...headers, ...length }, agent, signal },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
          response.once('error', reject);
        },
      );
      outgoing.once('error', reject);
      outgoing.end(body ?? undefined);
    });
  }
  return { send, close: () => agent.destroy() };
}

/** Limits for the repetitions of a request while a server is busy. */
export interface RetryLimits {
  /** Maximum number of attempts. */
  readonly attempts: number;
  /** Time limit for all attempts of a request, including the delays between them. */
  readonly total_ms: number;
}

/** Responses to all attempts of a request, in order. */
export interface Attempts {
  /** Responses with status 503 and `Retry-After`. The request was repeated after each of these responses. */
  readonly busy: readonly WireResponse[];
  /** Final response. It may also have status 503 if a limit was reached. */
  readonly last: WireResponse;
}

/**
 * Sends a request. Repeats it after a response with status 503 and `Retry-After`, until a limit is reached. Every
 * attempt has its own `X-Request-Id`, so that its events can be found. Rejects if `send` rejects.
 */
export async function sendPatiently(
  send: (request: WireRequest) => Promise<WireResponse>,
  wireRequest: WireRequest,
  { attempts, total_ms }: RetryLimits,
): Promise<Attempts> {
  const ends_ms = performance.now() + total_ms;
  const busy: WireResponse[] = [];
  for (;;) {
    const last = await send({ ...wireRequest, headers: { ...wireRequest.headers, 'X-Request-Id': randomUUID() } });
    const wait_ms = retryAfter_ms(last);
    if (wait_ms === null || busy.length + 1 >= attempts || performance.now() + wait_ms > ends_ms) return { busy, last };
    busy.push(last);
    await pause(wait_ms);
  }
}

/**
 * Returns the delay in milliseconds that a busy server requests. Returns null if the status is not 503 or the delay is
 * invalid.
 */
export function retryAfter_ms({ status, headers }: Pick<WireResponse, 'status' | 'headers'>): number | null {
  const after = String(headers['retry-after'] ?? '');
  return status === 503 && /^\d{1,4}$/u.test(after) ? Number(after) * 1_000 : null;
}
