import { request, Agent, type IncomingHttpHeaders } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestPool } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { METRICS_TOKEN } from '../support/product.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** One client sends more expensive requests than the product can handle. */

const product = testProduct({ rateLimits: true, trustedProxies: 1 });
const api = testApi(product);
beforeAll(async () => {
  const { token } = await api.signUp('provider');
  await api.postAd(token);
});

interface Sent {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function send(path: string, address: string, agent?: Agent): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': address, accept: 'text/html,application/json' };
    request(`${product.url}${path}`, { agent, headers }, (res) => {
      let body = '';
      res.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
      res.once('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
    })
      .once('error', reject)
      .end();
  });
}

async function readRejected(): Promise<number> {
  const metrics = await fetch(`${product.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  return Number(/^busy_requests_total (\d+)$/mu.exec(await metrics.text())?.[1]);
}

test('while one address waits for slow reads, the requests of others run, and the address is rejected', async () => {
  const pool = createTestPool(product.databaseUrl, 1);
  const lock = await pool.connect();
  const agent = new Agent({ maxSockets: 1_200 });
  try {
    // Another network is active, so the flood does not get the whole process.
    expect((await send('/api/health', '203.0.113.1')).status).toBe(200);
    await lock.query('begin');
    await lock.query('lock table rm.ad_cards in access exclusive mode');
    const flood = Array.from({ length: 1_100 }, (_, n) => send(`/api/ads?minPrice=${n + 1}`, '198.51.100.1', agent));
    // On a slow machine, the statements of the first requests reach their time limit before.
    let ended = 0;
    const fromQueue = flood.map(async (sent) => {
      const { status, headers } = await sent;
      if (headers['retry-after'] === '5') return status;
      ended += 1;
      throw new Error('The request was not rejected by the queue');
    });
    expect(await Promise.any(fromQueue)).toBe(503);
    expect((await send('/api/community/threads', '203.0.113.1')).status).toBe(200);
    expect((await send('/imprint', '203.0.113.2')).status).toBeLessThan(500);
    // Each request that has ended leaves its place in the queue to another one.
    await eventually(async () => expect((await readRejected()) + ended).toBeGreaterThanOrEqual(90));
    agent.destroy();
    await Promise.allSettled([...flood, ...fromQueue]);
  } finally {
    await lock.query('rollback');
    lock.release();
    await pool.end();
  }
});

test('a statement that does not end in time fails with 503, and other reads continue (R-9.62)', async () => {
  const pool = createTestPool(product.databaseUrl, 1);
  const lock = await pool.connect();
  try {
    await lock.query('begin');
    await lock.query('lock table rm.ad_cards in access exclusive mode');
    const list = await send('/api/ads?q=nobody+else', '203.0.113.4');
    expect(list.status).toBe(503);
    expect(Number(list.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send('/api/community/threads', '203.0.113.4')).status).toBe(200);
  } finally {
    await lock.query('rollback');
    lock.release();
    await pool.end();
  }
});

describe('unknown query parameters', () => {
  test('lead to the same cached list', async () => {
    const read = async (query: string) => (await send(`/api/ads?${query}`, '203.0.113.3')).headers['etag'];
    const etag = await read('state=NV&minPrice=1');
    expect(await read('minPrice=1&x=1&state=NV')).toBe(etag);
  });

  test('lead to the same page, with its content', async () => {
    await eventually(async () => {
      const plain = await send('/community', '203.0.113.4');
      expect(plain.body).toContain('data-rendered-at=');
      const other = await send('/community?x=1', '203.0.113.4');
      expect(other.headers['etag']).toBe(plain.headers['etag']);
      expect(other.body).toBe(plain.body);
    });
  });
});
