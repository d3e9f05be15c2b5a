import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Sends requests as they are: without a client that would mend or refuse them. */

export interface WireRequest {
  readonly method: string;
  /** Path and query as they go over the wire. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends to the product at `url` over connections that are kept. */
export function wire(
  url: string,
  { connections, timeout_ms }: { readonly connections: number; readonly timeout_ms: number },
) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  /** The answer. Rejects when none has come whole within the time limit. */
  function send({ method, target, headers, body }: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeout_ms);
      const length: Record<string, string> = body === null ? {} : { 'Content-Length': String(body.length) };
      const asking = request(
        { hostname, port, method, path: target, headers: { ...headers, ...length }, agent, signal },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.once('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
          answer.once('error', reject);
        },
      );
      asking.once('error', reject);
      asking.end(body ?? undefined);
    });
  }
  return { send, close: () => agent.destroy() };
}

/** How long a client goes on asking a server that says that it is busy. */
export interface Patience {
  /** How often the request is sent at most. */
  readonly attempts: number;
  /** From the first attempt on, waits included. */
  readonly total_ms: number;
}

/** What each attempt at a request was answered, in order, at least one. */
export interface Attempted {
  /** Those with 503 and `Retry-After` after which the request was sent again. */
  readonly busy: readonly WireAnswer[];
  /** The answer that counts. Still such a 503 where patience has ended. */
  readonly last: WireAnswer;
}

/**
 * Sends a request as a good client does: after a 503 with `Retry-After` it waits for as long as that says and sends the same request again,
 * within the bounds of `patience`. Every attempt has an `X-Request-Id` of its own, so that it can be told what came of which. Rejects as `send` does.
 */
export async function sendPatiently(
  send: (request: WireRequest) => Promise<WireAnswer>,
  asked: WireRequest,
  { attempts, total_ms }: Patience,
): Promise<Attempted> {
  const ends_ms = performance.now() + total_ms;
  const busy: WireAnswer[] = [];
  for (;;) {
    const last = await send({ ...asked, headers: { ...asked.headers, 'X-Request-Id': randomUUID() } });
    const wait_ms = retryAfter_ms(last);
    if (wait_ms === null || busy.length + 1 >= attempts || performance.now() + wait_ms > ends_ms) return { busy, last };
    busy.push(last);
    await pause(wait_ms);
  }
}

/** How long a busy server asks to be left alone; null of any other answer, also of a 503 that does not say when. */
export function retryAfter_ms({ status, headers }: Pick<WireAnswer, 'status' | 'headers'>): number | null {
  const after = String(headers['retry-after'] ?? '');
  return status === 503 && /^\d{1,4}$/u.test(after) ? Number(after) * 1_000 : null;
}
