import { Agent, request } from 'node:http';

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
export function wire(url: string, { connections, timeout_ms }: { readonly connections: number; readonly timeout_ms: number }) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  /** The answer. Rejects when none has come whole within the time limit. */
  function send({ method, target, headers, body }: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeout_ms);
      const length: Record<string, string> = body === null ? {} : { 'Content-Length': String(body.length) };
      const asking = request({ hostname, port, method, path: target, headers: { ...headers, ...length }, agent, signal }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString('utf8') }));
        answer.once('error', reject);
      });
      asking.once('error', reject);
      asking.end(body ?? undefined);
    });
  }
  return { send, close: () => agent.destroy() };
}
