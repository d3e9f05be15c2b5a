import { Agent, request } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export interface HttpClient {
  /** Resolves with the whole answer. Rejects when there is none, or one with another status than 2xx. */
  send(method: 'GET' | 'PUT' | 'POST', url: string, options?: { body?: string; token?: string }): Promise<HttpAnswer>;
  close(): void;
}

/** Shorter than a service keeps an unused connection, so that none is used that it is just closing. */
const UNUSED_ms = 30_000;

/** A client that costs little beside what it measures. Keeps its connections, at most so many. */
export function httpClient({ connections }: { readonly connections: number }): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: UNUSED_ms });
  return {
    send: (method, url, { body, token } = {}) =>
      new Promise((resolve, reject) => {
        const headers = {
          ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        };
        const req = request(url, { method, agent, headers }, (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.once('error', reject);
          res.once('end', () => {
            const status = res.statusCode ?? 0;
            if (status >= 200 && status < 300) resolve({ status, body: Buffer.concat(chunks) });
            else
              reject(
                new Error(
                  `${method} ${url} answered ${status}: ${Buffer.concat(chunks).toString('utf8').slice(0, 300)}`,
                ),
              );
          });
        });
        req.once('error', reject);
        req.end(body);
      }),
    close: () => agent.destroy(),
  };
}
