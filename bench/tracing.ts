import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createApiClient } from '../tests/support/api-client.ts';
import { runClosedLoop } from './closed-loop.ts';
import { createHttpClient } from './http-client.ts';
import { startProductProcess, type RunningProduct } from './running-product.ts';
import { median } from './statistics.ts';

const CONNECTIONS = 16;
const ROUNDS = 7;
const ROUND_ms = 3_000;

/** The interval of the checks whether a product is idle. After its start, it encodes pictures for a while. */
const IDLE_INTERVAL_ms = 3_000;
/** An idle product needs less than this share of a processor. */
const IDLE_SHARE = 0.05;
const MAX_SETTLE_ms = 300_000;

/** The figures of a product with traces, divided by those of a product without traces. */
interface Ratios {
  /** Requests per second. */
  readonly rate: number;
  /** Processor time of the process of Node for each request. Other programs on the machine hardly change it. */
  readonly processorTime: number;
}

interface TracingFigures {
  readonly reads: Ratios;
  readonly writes: Ratios;
  /** The number of spans that the collector has received. */
  readonly spans: number;
}

/**
 * Measures the cost of traces with the default share of recorded traces: two products, of which one sends spans to a
 * collector on this machine. A read is `GET /ads`, and a write adds or removes a favorite. Both products are measured
 * one after the other in each round, in alternating order. Returns medians of the ratios.
 */
export async function benchTracing(root: string): Promise<TracingFigures> {
  const collector = await startCountingCollector();
  const products: RunningProduct[] = [];
  try {
    products.push(await startProductProcess(root, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }));
    products.push(await startProductProcess(root));
    const works = await Promise.all(products.map((product) => createWorks(product)));
    const [traced, plain] = works;
    if (!traced || !plain) throw new Error('A product is missing');
    try {
      await waitUntilIdle(products);
      const reads = await compare({ ...traced, work: traced.read }, { ...plain, work: plain.read });
      const writes = await compare({ ...traced, work: traced.write }, { ...plain, work: plain.write });
      return { reads, writes, spans: collector.countSpans() };
    } finally {
      for (const work of works) work.close();
    }
  } finally {
    for (const product of products) await product.stop();
    collector.stop();
  }
}

async function waitUntilIdle(products: readonly RunningProduct[]): Promise<void> {
  const end_ms = performance.now() + MAX_SETTLE_ms;
  const readTime_s = async () => {
    const times_s = await Promise.all(products.map((product) => product.processorTime_s()));
    return times_s.reduce((sum, time_s) => sum + time_s, 0);
  };
  for (let before_s = await readTime_s(); performance.now() < end_ms; ) {
    await pause(IDLE_INTERVAL_ms);
    const now_s = await readTime_s();
    if (now_s - before_s < (IDLE_SHARE * IDLE_INTERVAL_ms) / 1_000) return;
    before_s = now_s;
  }
  throw new Error('The products are not idle after their start');
}

interface Measured {
  readonly product: RunningProduct;
  readonly work: () => Promise<unknown>;
}

async function compare(traced: Measured, plain: Measured): Promise<Ratios> {
  for (const measured of [traced, plain]) await measure(measured);
  const rates: number[] = [];
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const isTracedFirst = round % 2 === 0;
    const first = await measure(isTracedFirst ? traced : plain);
    const second = await measure(isTracedFirst ? plain : traced);
    const [withTraces, without] = isTracedFirst ? [first, second] : [second, first];
    rates.push(withTraces.perSecond / without.perSecond);
    times.push(withTraces.perRequest_s / without.perRequest_s);
  }
  return { rate: median(rates), processorTime: median(times) };
}

async function measure({ product, work }: Measured) {
  const before_s = await product.processorTime_s();
  const { count, perSecond } = await runClosedLoop(work, { workers: CONNECTIONS, duration_ms: ROUND_ms });
  return { perSecond, perRequest_s: ((await product.processorTime_s()) - before_s) / count };
}

/** Creates a read and a write. Each write is of another person than the writes before it, as far as possible. */
async function createWorks(product: RunningProduct) {
  const { url } = product;
  const api = createApiClient(url);
  const ads = (await api.call('GET', '/api/ads')).body['data'] as readonly { readonly id: string }[];
  const adId = ads[0]?.id ?? '';
  const people = await Promise.all(Array.from({ length: CONNECTIONS * 2 }, () => api.signUp('client')));
  const states = people.map(({ token }) => ({ token, isFavorite: false }));
  const http = createHttpClient({ connections: CONNECTIONS });
  let next = 0;
  return {
    product,
    read: () => http.send('GET', `${url}/api/ads`),
    async write(): Promise<void> {
      const person = states[next++ % states.length];
      if (!person) return;
      const { token, isFavorite } = person;
      person.isFavorite = !isFavorite;
      if (isFavorite) await http.send('DELETE', `${url}/api/favorites/${adId}`, { token });
      else await http.send('POST', `${url}/api/favorites`, { token, body: JSON.stringify({ adId }) });
    },
    close: () => http.close(),
  };
}

/** Starts a collector that only counts spans. */
async function startCountingCollector() {
  let spans = 0;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      spans += Buffer.concat(chunks).toString('utf8').split('"spanId"').length - 1;
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    countSpans: () => spans,
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
