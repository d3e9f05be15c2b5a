import { createAuditLog, createLogger, createPool, verifyAuditLog, type Pool } from '@alpenglow/infra';
import { afterEach, expect, test } from 'vitest';
import { toPosition } from '../../infra/src/adapters/eventstoredb/positions.ts';
import { openEventStoreDb } from '../../infra/src/adapters/eventstoredb/event-store.ts';
import { apiClient } from '../support/api.ts';
import { startEventStoreServer, type EventStoreServer } from '../support/event-store-server/server.ts';
import { eventually } from '../support/eventually.ts';
import { openMailboxes } from '../support/inbox.ts';
import { createEmptyLocation, METRICS_TOKEN, startTestProduct } from '../support/product.ts';

// Tests the product on an event store that another application also uses (decision 0113). The server is the gRPC server
// of the tests.

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a product whose events are on the server. */
async function startProduct(server: EventStoreServer, eventStoreStreamPrefix: string) {
  const place = await createEmptyLocation();
  closers.push(() => place.remove());
  const product = await startTestProduct({ eventStoreUrl: server.url, eventStoreStreamPrefix }, place);
  closers.push(() => product.stop());
  const pool: Pool = createPool({ connectionString: place.databaseUrl, max: 2, applicationName: 'test' });
  closers.push(() => pool.end());
  return { product, pool };
}

/** Writes the events that stopped all reactors and the audit chain of an earlier release. */
function writeForeignEvents(server: EventStoreServer, prefix: string): void {
  server.writeForeign({ stream: 'order-1', type: 'OrderPlaced' });
  server.writeForeign({ stream: `${prefix}order-1`, type: 'OrderPlaced' });
  server.writeForeign({ stream: `${prefix}ad-foreign`, type: 'AdPosted', data: Buffer.from('{"adId":"foreign"}') });
  server.writeForeign({ stream: `${prefix}ad-foreign`, type: 'Scan', isJson: false, data: Buffer.from([0, 255]) });
}

test.each([
  ['without a prefix', ''],
  ['with a prefix', 'shop-'],
])('events of another application stop no consumer and are not parked, %s', async (_, prefix) => {
  const server = await startEventStoreServer();
  closers.push(() => server.close());
  const { product, pool } = await startProduct(server, prefix);
  const api = apiClient(product.url);
  const mailboxes = openMailboxes(product);
  closers.push(() => mailboxes.close());

  writeForeignEvents(server, prefix);
  const provider = await api.signUp('provider');
  await mailboxes.waitForCode(provider.email, '');
  const ad = await api.postAd(provider.token);
  writeForeignEvents(server, prefix);
  await eventually(async () =>
    expect((await api.call('GET', `/api/ads/${ad.id}`, { headers: { 'X-Wait-Position': ad.position } })).status).toBe(
      200,
    ),
  );
  expect((await api.call('GET', '/api/ads/foreign')).status).toBe(404);

  const store = await openEventStoreDb(server.url, { log: createLogger('silent'), streamPrefix: prefix });
  closers.push(() => store.close());
  const auditLog = createAuditLog(pool);
  await eventually(async () => expect((await auditLog.head()).position).toBe(await store.readHead()));
  expect(await verifyAuditLog({ store, log: auditLog })).toMatchObject({ problems: [], notChained: 0 });
  expect((await pool.query('select from rm.parked_events')).rowCount).toBe(0);

  const metrics = await fetch(`${product.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const text = await metrics.text();
  const counted = [...text.matchAll(/^foreign_events\{type="(\w+)"\} (\d+)$/gmu)].map(([, type, count]) => [
    type,
    Number(count),
  ]);
  // With a prefix, the server selects the events of our streams.
  const orders = prefix === '' ? 4 : 2;
  expect(Object.fromEntries(counted)).toEqual({ OrderPlaced: orders, AdPosted: 2, Scan: 2 });
});

test('after an earlier build, nothing is rebuilt, and its parked foreign events are deleted', async () => {
  const server = await startEventStoreServer();
  closers.push(() => server.close());
  const place = await createEmptyLocation();
  closers.push(() => place.remove());
  const pool: Pool = createPool({ connectionString: place.databaseUrl, max: 2, applicationName: 'test' });
  closers.push(() => pool.end());
  const start = () => startTestProduct({ eventStoreUrl: server.url, eventStoreStreamPrefix: '' }, place);
  const first = await start();
  const api = apiClient(first.url);
  const provider = await api.signUp('provider');
  await api.postAd(provider.token);
  const store = await openEventStoreDb(server.url, { log: createLogger('silent') });
  closers.push(() => store.close());
  const head = await store.readHead();
  await eventually(async () => {
    const { rows } = await pool.query<{ isBehind: boolean }>(
      `select bool_or(position < $1) as "isBehind" from rm.checkpoints where name not like 'reactor-%'`,
      [head],
    );
    expect(rows).toEqual([{ isBehind: false }]);
  });
  await first.stop();

  // The earlier build has moved its checkpoints to events of another application, and has parked one of them.
  const { commit, id, revision } = server.writeForeign({ stream: 'ad-foreign', type: 'AdPosted' });
  const position = toPosition({ commit: BigInt(commit), prepare: BigInt(commit) });
  await pool.query('update rm.checkpoints set position = $1, event_id = $2, event_position = $1', [position, id]);
  await pool.query(
    `insert into rm.parked_events (projection, position, stream, revision, event_id, event_type, error)
     values ('reactor-media-jobs', $1, 'ad-foreign', $2, $3, 'AdPosted', 'Error')`,
    [position, revision, id],
  );
  const second = await start();
  closers.push(() => second.stop());
  const next = apiClient(second.url);
  const ad = await next.postAd((await next.signUp('provider')).token);
  await eventually(async () => {
    expect((await next.call('GET', `/api/ads/${ad.id}`)).status).toBe(200);
    expect((await pool.query('select from rm.parked_events')).rowCount).toBe(0);
  });
  const { rows } = await pool.query('select name from rm.checkpoints where lost_position is not null');
  expect(rows).toEqual([]);
  expect((await pool.query('select from rm.rebuilds')).rowCount).toBe(0);
});

test('everything continues after an older backup was put back under the running product', async () => {
  const server = await startEventStoreServer();
  closers.push(() => server.close());
  const { product, pool } = await startProduct(server, '');
  const api = apiClient(product.url);
  const mailboxes = openMailboxes(product);
  closers.push(() => mailboxes.close());
  const store = await openEventStoreDb(server.url, { log: createLogger('silent') });
  closers.push(() => store.close());
  const auditLog = createAuditLog(pool);
  const waitForChain = () =>
    eventually(async () => expect((await auditLog.head()).position).toBe(await store.readHead()));

  const early = await api.signUp('provider');
  await api.postAd(early.token);
  const backup = server.log.end();
  const late = await api.signUp('provider');
  const lost = await api.postAd(late.token);
  await waitForChain();
  await server.restore(backup);

  // The records of new events are longer than those of the lost ones, so stored positions are inside them.
  const next = await api.signUp('provider');
  const ad = await api.postAd(next.token, { description: 'Calm and kind. '.repeat(60) });
  // A mail with a code is sent only while the address is not verified.
  const { email } = await api.signUp('client', { verify: false });
  await mailboxes.waitForCode(email, '');
  await eventually(async () => {
    expect((await api.call('GET', `/api/ads/${ad.id}`)).status).toBe(200);
    expect((await api.call('GET', `/api/ads/${lost.id}`)).status).toBe(404);
  });
  await waitForChain();
  expect(await verifyAuditLog({ store, log: auditLog })).toMatchObject({ problems: [], segments: [{ number: 2 }] });
  expect((await pool.query('select from ops.consumer_failures where failures > 20')).rowCount).toBe(0);
});
