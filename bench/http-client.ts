import { Agent, request, type IncomingHttpHeaders } from 'node:http';

interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface HttpOptions {
  readonly body?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpClient {
  /** Resolves with the complete response. Rejects if there is no response or its status is neither 2xx nor 304. */
  send(method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, options?: HttpOptions): Promise<HttpResponse>;
  close(): void;
}

/**
 * Lifetime of an idle connection. It is shorter than the idle timeout of a service, so no request uses a connection
 * that is being closed.
 */
const UNUSED_ms = 30_000;

/** Creates an HTTP client with little overhead. The client opens at most `connections` connections and reuses them. */
export function createHttpClient({ connections }: { readonly connections: number }): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: UNUSED_ms });
  return {
    send: (method, url, { body, token, headers: others } = {}) =>
      new Promise((resolve, reject) => {
        const headers = {
          ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...others,
        };
        const req = request(url, { method, agent, headers }, (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.once('error', reject);
          res.once('end', () => {
            const status = res.statusCode ?? 0;
            const isExpected = (status >= 200 && status < 300) || status === 304;
            if (isExpected) resolve({ status, headers: res.headers, body: Buffer.concat(chunks) });
            else
              reject(
                new Error(
                  `${method} ${url} returned ${status}: ${Buffer.concat(chunks).toString('utf8').slice(0, 300)}`,
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
