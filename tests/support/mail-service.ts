import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: unknown;
  readonly at_ms: number;
}

export type ServiceAnswer =
  | { readonly status: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  | 'hang'
  | 'hang-up';

export interface MailService {
  readonly url: string;
  readonly requests: readonly ServiceRequest[];
  /** The next requests are answered with these, in turn; then it is `200 OK` again. */
  answerWith(...answers: readonly ServiceAnswer[]): void;
  close(): Promise<void>;
}

/** The e-mail sending service of the specification, section 7, with its real answers. */
export const REFUSALS = {
  headless: { status: 451, text: 'Unavailable For Headless Browser' },
  forbidden: { status: 403, text: 'Forbidden' },
  tooMany: { status: 429, text: 'Too Many Requests' },
} as const;

const OK: ServiceAnswer = { status: 200, text: 'OK' };

export async function startMailService(): Promise<MailService> {
  const requests: ServiceRequest[] = [];
  const answers: ServiceAnswer[] = [];
  const server = createServer((req, res) => {
    void answer(req, res);
  });

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    requests.push({
      method: req.method ?? '',
      path: req.url ?? '',
      contentType: req.headers['content-type'] ?? '',
      body: await json(req),
      at_ms: Date.now(),
    });
    const next = answers.shift() ?? OK;
    if (next === 'hang') return;
    if (next === 'hang-up') {
      req.socket.destroy();
      return;
    }
    res.writeHead(next.status, next.headers).end(next.text);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answerWith(...next) {
      answers.splice(0, answers.length, ...next);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
