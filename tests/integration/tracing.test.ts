import {
  closeServer,
  createApp,
  createHttpMetrics,
  createHttpServer,
  createLogger,
  createMetrics,
  createPool,
  startListening,
  startTracing,
  toTraceId,
  type Config,
  type Pool,
} from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiClient, validAd, type ApiClient } from '../support/api.ts';
import { startCollector, type CollectedSpan } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { connectLive } from '../support/live.ts';
import { adIdOf } from '../support/live-ads.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

// Tests the traces of requests (decision 0127) with a collector that reads OTLP.

type Collector = Awaited<ReturnType<typeof startCollector>>;
const tracingTo = ({ url }: Collector, share: number): Config['tracing'] => ({
  url: `${url}/v1/traces`,
  headers: { authorization: 'Bearer collector-token' },
  share,
});

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLICK = '00f067aa0ba902b7';

describe('a product that records every trace', () => {
  let collector: Collector;
  let product: TestProduct;
  let pool: Pool;
  let api: ApiClient;

  beforeAll(async () => {
    collector = await startCollector();
    product = await startTestProduct({ tracing: tracingTo(collector, 1) });
    pool = createPool({ connectionString: product.databaseUrl, max: 2, applicationName: 'test' });
    api = apiClient(product.url);
  });
  afterAll(async () => {
    await pool.end();
    await product.stop();
    collector.stop();
  });

  const spansOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
  const find = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
    const span = spans.find((one) => one.name === name);
    if (!span) throw new Error(`There is no span ${name}: ${spans.map((one) => one.name).join(', ')}`);
    return span;
  };

  test('has one trace from the call of a browser to the live message in another browser', async () => {
    const provider = await api.signUp('provider');
    const otherBrowser = await connectLive(product.url);
    const response = await api.call('POST', '/api/ads', {
      token: provider.token,
      body: { ...validAd, phone: '+17025550100' },
      headers: { traceparent: `00-${TRACE_ID}-${CLICK}-00` },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-request-id')).toBe(TRACE_ID);
    const { id } = (response.body as { readonly ad: { readonly id: string } }).ad;
    const message = await otherBrowser.next((one) => adIdOf(one) === id);
    expect(message).not.toHaveProperty('traceparent');
    otherBrowser.close();

    const spans = await eventually(() => {
      const found = spansOf(TRACE_ID);
      for (const name of ['live message', 'project ad_cards', 'project ad_details']) find(found, name);
      return found;
    });
    const request = find(spans, 'POST /api/ads');
    const command = find(spans, 'command listing');
    const append = find(spans, 'append');
    expect(request).toMatchObject({
      service: 'alpenglow',
      // The browser does not record its span, so the collector has none.
      parentSpanId: null,
      attributes: { 'http.response.status_code': 201, 'alpenglow.request.id': TRACE_ID },
    });
    expect(command.parentSpanId).toBe(request.spanId);
    expect(append.parentSpanId).toBe(command.spanId);
    const { rows } = await pool.query<{ id: string; meta: Record<string, unknown> }>(
      `select id, meta from es.events where meta->>'correlationId' = $1`,
      [TRACE_ID],
    );
    expect(rows.map(({ meta }) => meta['traceparent'])).toEqual([`00-${TRACE_ID}-${append.spanId}-01`]);
    expect(append.attributes['alpenglow.event.ids']).toEqual(rows.map((row) => row.id));
    for (const name of ['project ad_cards', 'project ad_details', 'live message'])
      expect(find(spans, name).parentSpanId, name).toBe(append.spanId);
    expect(find(spans, 'project ad_cards').attributes).toMatchObject({
      'alpenglow.event.id': rows[0]?.id,
      'alpenglow.event.type': 'AdPosted',
    });
    expect(find(spans, 'live message').attributes).toEqual({
      'alpenglow.message.type': 'ad_created',
      'alpenglow.message.recipients': 1,
    });
    expect(spans.filter(({ hasFailed }) => hasFailed)).toEqual([]);
  });

  test('begins a trace with the id of the request if the caller has none', async () => {
    const { headers } = await api.call('GET', '/api/ads');
    const requestId = headers.get('x-request-id') ?? '';
    const span = await eventually(() => find(spansOf(toTraceId(requestId)), 'GET /api/ads'));
    expect(span.parentSpanId).toBeNull();
    expect(span.traceId).toBe(requestId.replaceAll('-', ''));
  });

  test('records a command that a rule rejects, which is no failure', async () => {
    const client = await api.signUp('client');
    const { headers, body } = await api.call('POST', '/api/ads', { token: client.token, body: validAd });
    const traceId = toTraceId(headers.get('x-request-id') ?? '');
    const span = await eventually(() => find(spansOf(traceId), 'POST /api/ads'));
    expect(span).toMatchObject({ hasFailed: false, attributes: { 'error.type': body['code'] } });
  });

  test('sends no personal data, and the headers of the configuration', async () => {
    const email = 'secret.person@example.com';
    await api.signUp('client', { email, displayName: 'Secret Person' });
    await api.call('GET', '/api/ads?q=secretquery');
    const { headers } = await api.call('GET', '/api/health');
    await eventually(() => find(spansOf(toTraceId(headers.get('x-request-id') ?? '')), 'GET /api/health'));
    const sent = collector.bodies.join('\n');
    expect(sent).toContain('command account');
    expect(sent).not.toMatch(/secret|@example|127\.0\.0\.1|7025550100|Good company/iu);
    const accounts = await eventually(async () => {
      const { rows } = await pool.query<{ id: string }>('select account_id as id from rm.accounts');
      expect(rows.length).toBeGreaterThan(2);
      return rows;
    });
    for (const { id } of accounts) expect(sent).not.toContain(id);
    expect(new Set(collector.authorizations)).toEqual(new Set(['Bearer collector-token']));
  });
});

test('a product that records a share of the traces omits the others, except requests that fail', async () => {
  const collector = await startCollector();
  const product = await startTestProduct({ tracing: tracingTo(collector, 0) });
  const pool = createPool({ connectionString: product.databaseUrl, max: 1, applicationName: 'test' });
  const api = apiClient(product.url);
  const admin = await api.signUp('provider', { email: 'admin@example.com' });
  await api.postAd(admin.token);
  await api.call('GET', '/api/ads', { headers: { traceparent: `00-${TRACE_ID}-${CLICK}-01` } });
  await pool.query('alter table audit.staff_reads rename to staff_reads_away');
  const { status, body } = await api.call('GET', '/api/admin/users', { token: admin.token });
  expect(status).toBe(500);
  await pool.end();
  await product.stop();
  expect(collector.spans.map(({ name, traceId, hasFailed }) => ({ name, traceId, hasFailed }))).toEqual([
    { name: 'GET /api/admin/users', traceId: toTraceId(String(body['requestId'])), hasFailed: true },
  ]);
  collector.stop();
});

describe('a service', () => {
  /** Starts a service whose requests all fail, with a share of 0. */
  async function startFailing({ isBehindGateway }: { readonly isBehindGateway: boolean }) {
    const log = createLogger('silent');
    const collector = await startCollector();
    const stopTracing = await startTracing(
      { tracing: tracingTo(collector, 0) },
      { service: 'failing', version: '1', log },
    );
    const metrics = createHttpMetrics(createMetrics());
    const app = createApp({ trustedProxies: 0, log, metrics, isBehindGateway });
    app.use((req, res) => {
      res.locals['isBusy'] = req.url.startsWith('/busy');
      res.status(req.url.startsWith('/fine') ? 200 : 503).end();
    });
    const server = createHttpServer(app);
    const port = await startListening(server, { port: 0, host: '127.0.0.1' });
    return {
      call: async (path: string, traceparent?: string) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          ...(traceparent && { headers: { traceparent } }),
        });
        await response.text();
      },
      stop: async () => {
        await closeServer(server, () => Promise.resolve(), 1_000);
        await stopTracing();
        collector.stop();
        return collector.spans;
      },
    };
  }

  test.each([
    [true, 1],
    [false, 0],
  ])('behind a gateway (%s) follows the mark of its caller with %i spans', async (isBehindGateway, count) => {
    const service = await startFailing({ isBehindGateway });
    await service.call('/fine', `00-${TRACE_ID}-${CLICK}-01`);
    await service.call('/fine', `00-${TRACE_ID}-${CLICK}-00`);
    expect(await service.stop()).toHaveLength(count);
  });

  test('has few spans in a flood of failures, and none of requests that its queue rejects', async () => {
    const service = await startFailing({ isBehindGateway: false });
    // The clock is stopped, because the limit is one per second, and a busy machine needs seconds for the requests.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    for (let i = 0; i < 30; i += 1) await service.call('/busy');
    for (let i = 0; i < 200; i += 1) await service.call('/profile/0123456789abcdef0123456789abcdef');
    clock.mockRestore();
    const spans = await service.stop();
    expect(spans.length).toBeGreaterThan(19);
    expect(spans.length).toBeLessThan(150);
    expect(new Set(spans.map(({ name }) => name))).toEqual(new Set(['GET /profile/*']));
  });
});

test('a product without a collector stores no trace in events', async () => {
  const product = await startTestProduct();
  const api = apiClient(product.url);
  const provider = await api.signUp('provider');
  await api.call('POST', '/api/ads', {
    token: provider.token,
    body: validAd,
    headers: { traceparent: `00-${TRACE_ID}-${CLICK}-01` },
  });
  const pool = createPool({ connectionString: product.databaseUrl, max: 1, applicationName: 'test' });
  const { rows } = await pool.query<{ meta: Record<string, unknown> }>('select meta from es.events');
  expect(rows.filter(({ meta }) => 'traceparent' in meta)).toEqual([]);
  // The trace id is the correlation id nevertheless.
  expect(rows.some(({ meta }) => meta['correlationId'] === TRACE_ID)).toBe(true);
  await pool.end();
  await product.stop();
});

test('requests succeed while the collector cannot be reached', async () => {
  const collector = await startCollector();
  collector.stop();
  const product = await startTestProduct({ tracing: tracingTo(collector, 1) });
  const api = apiClient(product.url);
  const provider = await api.signUp('provider');
  await api.postAd(provider.token);
  await product.stop();
});
