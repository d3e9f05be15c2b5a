import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO_EMAILS, DEMO_PASSWORD } from '@alpenglow/domain';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { runOpenLoop } from './open-loop.ts';
import { startProductProcess } from './running-product.ts';
import { percentile } from './statistics.ts';

/** The latencies of the requests of ordinary visitors. */
interface VisitorLatencies {
  readonly p50_ms: number;
  readonly p99_ms: number;
}

export interface FloodFigures {
  /** The latencies without a flood, by the kind of the request. */
  readonly idle: Readonly<Record<string, VisitorLatencies>>;
  readonly floods: readonly {
    readonly name: string;
    /** The number of responses that the attacker has received, by status. */
    readonly statuses: Readonly<Record<string, number>>;
    readonly visitors: Readonly<Record<string, VisitorLatencies>>;
  }[];
}

const CONNECTIONS = 300;
/**
 * The requests of an attacker. A unique number is added to each, as a part of a parameter that the operation or the
 * page knows. With an unknown parameter, all requests get the same cached response.
 */
const FLOODS = {
  // One letter for each word costs less, because a beginning of a word has at least two letters.
  'searches of one address': '/api/ads?limit=100&q=an+re+in+co+ma+di+me+ev&minPrice=1&maxPrice=9',
  'pages of one address': '/listings?maxPrice=9',
} as const;
/** The time before the measurement, in which the flood uses up its budget. */
const BEGIN_ms = 3_000;
const PER_SECOND = 4;
/** The number of requests of each kind in a measurement. p99 leaves out the slowest one. */
const COUNT = Number(process.env['BENCH_FLOOD_COUNT'] ?? 120);
/** The visitors' requests of one kind come from this number of addresses, so that none of them reaches a limit. */
const VISITORS = 20;

type SendRequest = (number: number) => Promise<unknown>;

/**
 * Measures lists, ads, pages and logins of visitors while one address floods the product with expensive requests over
 * 300 connections. The attacker is a separate process. The rate limits are on.
 */
export async function benchFlood(root: string, printProgress: (text: string) => void): Promise<FloodFigures> {
  printProgress('Starting the product with all demo data and with rate limits');
  const product = await startProductProcess(root, { RATE_LIMITS: 'on', TRUST_PROXY: '1', PUBLIC_DEMO: 'on' });
  const http = createHttpClient({ connections: Infinity });
  const kinds = await createKinds(product.url, http);
  try {
    await measure(kinds, COUNT / 4);
    printProgress('Visitors without a flood');
    const idle = await measure(kinds, COUNT);
    const floods: FloodFigures['floods'][number][] = [];
    for (const [name, target] of Object.entries(FLOODS)) {
      printProgress(`Visitors during a flood: ${name}`);
      const stop = startFlood(root, product.url, target);
      await pause(BEGIN_ms);
      const visitors = await measure(kinds, COUNT).finally(() => void stop());
      floods.push({ name, statuses: await stop(), visitors });
      await pause(BEGIN_ms);
    }
    return { idle, floods };
  } finally {
    http.close();
    await product.stop();
  }
}

/** Returns the requests of ordinary visitors by their kind. Each URL of a list and of a page is another one. */
async function createKinds(url: string, http: HttpClient): Promise<Readonly<Record<string, SendRequest>>> {
  const send = (visitor: number, method: 'GET' | 'POST', target: string, body?: string) => {
    const headers = {
      'x-forwarded-for': `203.0.113.${visitor % VISITORS}`,
      accept: 'text/html,application/json',
    };
    return http.send(method, `${url}${target}`, { headers, ...(body !== undefined && { body }) });
  };
  const { body: list } = await send(0, 'GET', '/api/ads?limit=100');
  const { data } = JSON.parse(list.toString('utf8')) as { data: readonly { id: string }[] };
  const login = JSON.stringify({ email: DEMO_EMAILS.client, password: DEMO_PASSWORD });
  let price = 0;
  return {
    list: (number) => send(number, 'GET', `/api/ads?minPrice=${(price += 1)}`),
    ad: (number) => send(number, 'GET', `/api/ads/${data[number % data.length]?.id ?? ''}`),
    page: (number) => send(number, 'GET', `/listings?minPrice=${(price += 1)}`),
    login: (number) => send(number, 'POST', '/api/auth/login', login),
  };
}

async function measure(
  kinds: Readonly<Record<string, SendRequest>>,
  count: number,
): Promise<Readonly<Record<string, VisitorLatencies>>> {
  const measured = await Promise.all(
    Object.entries(kinds).map(async ([name, send]) => {
      const latencies_ms = await runOpenLoop(send, { count, perSecond: PER_SECOND });
      return [name, { p50_ms: percentile(latencies_ms, 50), p99_ms: percentile(latencies_ms, 99) }] as const;
    }),
  );
  return Object.fromEntries(measured);
}

/** Starts the attacker. Returns the function that ends it and returns its responses by status. */
function startFlood(root: string, url: string, target: string): () => Promise<Readonly<Record<string, number>>> {
  const script = path.join(root, 'bench/flood-client.mjs');
  const child = spawn(process.execPath, [script, url, target, String(CONNECTIONS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<Readonly<Record<string, number>>>((resolve) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    child.once('close', () => resolve(JSON.parse(output === '' ? '{}' : output) as Record<string, number>));
  });
  return () => {
    child.kill('SIGTERM');
    return ended;
  };
}
