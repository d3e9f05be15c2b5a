import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { randomUUID } from 'node:crypto';
import { findEventDefinition, toStreamId } from '@alpenglow/domain';
import {
  createMetrics,
  createPostgresEventStore,
  recordBackup,
  registerDiskMetrics,
  type Config,
  type Pool,
} from '@alpenglow/infra';
import { registerGatewayMetrics } from '@alpenglow/infra/gateway-metrics';
import { afterEach, describe, expect, test } from 'vitest';
import { watchServices } from '../../infra/gateway/upstreams.ts';
import { SAMPLES } from '../../projectors/test/samples.ts';
import { createRecording, findAlerts, groupsIn, readRules, type Recording } from '../support/alert-rules.ts';
import { apiClient, type ApiClient } from '../support/api.ts';
import { createCertificate } from '../support/certificate.ts';
import { createTestPool } from '../support/database.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { startMailServer } from '../support/mail-server.ts';
import type { Labels } from '../support/promql.ts';
import { METRICS_TOKEN, startTestProduct, type TestProduct } from '../support/product.ts';

/**
 * Injects the failure of each alert rule into a running product, and evaluates the rule on the metrics that the product
 * then returns (decision 0125). The clock of the evaluation is moved, because rules refer to minutes and hours.
 * `shell/test/releases.test.ts` does the same for automatic rollbacks.
 */

const rules = readRules();
const PROCESS = { job: 'alpenglow', instance: 'localhost:8080' };
const FROM = 'Alpenglow <no-reply@alpenglow.example>';
/** A site whose certificate the tests do not read has no value of this metric. */
const WITHOUT_SITE = { alertname: 'MetricMissing', metric: 'certificate_remaining_seconds' };

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Watched {
  readonly product: TestProduct;
  readonly api: ApiClient;
  readonly pool: Pool;
  /** Requests the metrics once, and records them for each minute of a time. */
  observe(minutes: number): Promise<void>;
  /** Returns the alerts that are sent at the end of the recorded time. */
  alerts(): readonly Labels[];
  /** Records the metrics until an alert with this name is sent, for at most two hours. */
  expectAlert(name: string, labels?: Labels): Promise<void>;
}

const readMetrics = (url: string): Promise<string | null> =>
  fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } }).then(
    (response) => response.text(),
    () => null,
  );

/** Returns functions that record the metrics of a process and evaluate rules on them. */
function watch(read: () => Promise<string | null>, evaluated = rules) {
  const recording: Recording = createRecording();
  let minute = 0;
  const alerts = (some = evaluated) => some.flatMap((rule) => findAlerts(rule, recording.series(), (minute - 1) * 60));
  async function observe(minutes: number): Promise<void> {
    const text = await read();
    for (const end = minute + minutes; minute < end; minute += 1) recording.add(PROCESS, minute * 60, text);
  }
  return {
    observe,
    alerts,
    async expectAlert(name: string, labels: Labels = {}): Promise<void> {
      const expected = { ...labels, alertname: name };
      const named = evaluated.filter(({ alert }) => alert === name);
      const isSent = () => alerts(named).some((alert) => contains(alert, expected));
      for (let step = 0; step < 120 && !isSent(); step += 1) await observe(1);
      expect(alerts(named)).toContainEqual(expect.objectContaining(expected));
    },
  };
}

const contains = (alert: Labels, labels: Labels) =>
  Object.entries(labels).every(([label, value]) => alert[label] === value);

/** Starts a product, and records its metrics for some minutes. */
async function startWatched(overrides: Partial<Config> = {}): Promise<Watched> {
  const product = await startTestProduct(overrides);
  closers.push(() => product.stop());
  const pool = createTestPool(product.databaseUrl, 3);
  closers.push(() => pool.end());
  const ofOneMachine = groupsIn('alerts.yaml').flatMap((group) => group.rules);
  const watched = watch(() => readMetrics(product.url), ofOneMachine);
  await watched.observe(5);
  return { ...watched, product, pool, api: apiClient(product.url) };
}

const metricOf = async (url: string, pattern: RegExp) => Number(pattern.exec((await readMetrics(url)) ?? '')?.[1]);

test('a product without failures sends only an alert about the certificate that it does not have', async () => {
  const { product, api, observe, alerts } = await startWatched();
  const { token } = await api.signUp('provider');
  await api.postAd(token);
  await api.call('GET', '/api/ads');
  // The release watch shows its metric when it has found the deployed front ends.
  await eventually(async () =>
    expect(await metricOf(product.url, /^front_end_automatic_rollbacks_total\{[^}]*\} (\d+)$/mu)).toBe(0),
  );
  for (let step = 0; step < 20; step += 1) await observe(5);
  expect(alerts()).toEqual([expect.objectContaining(WITHOUT_SITE)]);
});

test('ContactDetailsCollected', async () => {
  const { api, expectAlert } = await startWatched({ rateLimits: true, trustedProxies: 1 });
  const { token } = await api.signUp('provider');
  const { id } = await api.postAd(token, { phone: '+17025550147' });
  const headers = { 'x-forwarded-for': '192.0.2.9' };
  const statuses = new Set<number>();
  for (let turn = 0; turn < 35; turn += 1) {
    const ad = await api.call('GET', `/api/ads/${id}`, { headers });
    const body = { token: (ad.body['data'] as { contactToken: string }).contactToken };
    statuses.add((await api.call('POST', `/api/ads/${id}/contact`, { headers, body })).status);
  }
  expect(statuses).toContain(429);
  await expectAlert('ContactDetailsCollected');
});

test('ContentSecurityViolations', async () => {
  const { product, expectAlert } = await startWatched();
  const violation = { type: 'csp-violation', body: { effectiveDirective: 'script-src', blockedURL: 'inline' } };
  for (let turn = 0; turn < 3; turn += 1) {
    const { status } = await fetch(`${product.url}/csp-reports`, {
      method: 'POST',
      headers: { 'content-type': 'application/reports+json' },
      body: JSON.stringify(Array.from({ length: 20 }, () => violation)),
    });
    expect(status).toBe(204);
  }
  await expectAlert('ContentSecurityViolations');
});

test('FrontEndErrors', async () => {
  const { api, observe, expectAlert } = await startWatched();
  const build = { frontEnd: 'mf-listings', hash: '0123456789abcdef' };
  const send = async (body: unknown) =>
    expect((await api.call('POST', '/api/front-ends/reports', { body })).status).toBe(204);
  await send({ views: [{ ...build, state: 'started' }] });
  await observe(1);
  for (let turn = 0; turn < 60; turn += 1) await send({ errors: [{ ...build, kind: 'render' }] });
  await expectAlert('FrontEndErrors', { front_end: 'mf-listings' });
});

test('EventsParked', async () => {
  const { product, pool, expectAlert } = await startWatched();
  const store = createPostgresEventStore({ pool, connectionString: product.databaseUrl });
  closers.push(() => store.close());
  // Personal data whose key does not exist.
  const sample = Object.values(SAMPLES).find(({ type, data }) => {
    const definition = findEventDefinition(type);
    return Object.keys(definition?.personalFields ?? {}).length > 0 && definition?.getSubjectId(data) !== null;
  });
  const definition = findEventDefinition(sample?.type ?? '');
  const data = { ...sample?.data } as Record<string, unknown>;
  for (const field of Object.keys(definition?.personalFields ?? {})) delete data[field];
  const subject = (sample && definition?.getSubjectId(sample.data)) ?? '';
  data['$sealed'] = { subject: `${subject}~404`, box: 'AAAA' };
  const { type, version = 1 } = { ...definition };
  const event = anEvent({ type: String(type), version, data });
  await store.append(toStreamId({ name: 'samples' }, randomUUID()), [event], { expectedRevision: 'any' });
  await eventually(async () => expect((await pool.query('select from rm.parked_events')).rowCount).toBeGreaterThan(0));
  await expectAlert('EventsParked');
});

test('ConsumerFailing and ReadModelBehind', async () => {
  const { product, pool, expectAlert } = await startWatched();
  await pool.query('alter table rm.daily_counts rename column ads to renamed');
  const store = createPostgresEventStore({ pool, connectionString: product.databaseUrl });
  closers.push(() => store.close());
  // An event of an hour ago, with which the read model fails.
  const sample = Object.values(SAMPLES).find(({ type }) => type === 'AdPosted');
  const version = findEventDefinition('AdPosted')?.version ?? 1;
  const event = anEvent({ type: 'AdPosted', version, data: sample?.data as Record<string, unknown> });
  const at = new Date(Date.now() - 3_600_000).toISOString();
  await store.append(toStreamId({ name: 'samples' }, randomUUID()), [{ ...event, meta: { ...event.meta, at } }], {
    expectedRevision: 'any',
  });
  await eventually(async () => {
    const { rows } = await pool.query<{ name: string }>('select name from ops.consumer_failures where failures > 1');
    expect(rows.map(({ name }) => name.replace(/@.*$/u, ''))).toContain('daily_counts');
  });
  await pool.query(`update ops.consumer_failures set since = since - interval '2 minutes'`);
  await expectAlert('ConsumerFailing', { name: 'daily_counts' });
  await expectAlert('ReadModelBehind', { name: 'daily_counts' });
});

test('ReadReplicaUnused', async () => {
  const { expectAlert } = await startWatched({ databaseReadUrls: ['postgres://alpenglow@127.0.0.1:1/alpenglow'] });
  await expectAlert('ReadReplicaUnused');
});

test('AuditChainStopped', async () => {
  const { pool, expectAlert } = await startWatched();
  await pool.query(
    `insert into ops.audit_chain_stop (common_position, lost_events, first_lost_entry, day)
     values ('', 3, 1, '2026-11-20')`,
  );
  await expectAlert('AuditChainStopped');
});

test('RemovalRequestWaits and RemovalRequestUrgent', async () => {
  const { api, pool, alerts, observe, expectAlert } = await startWatched();
  const body = {
    ...{ name: 'Anna Example', email: 'anna@example.com', relation: 'self', links: ['/ad/unknown'] },
    ...{ statement: true, signature: 'Anna Example' },
  };
  expect((await api.call('POST', '/api/removal-requests', { body })).status).toBe(201);
  await eventually(async () =>
    expect((await pool.query('select from rm.removal_requests where deadline is not null')).rowCount).toBe(1),
  );
  const age = (hours: number) =>
    pool.query(`update rm.removal_requests set waits_since = now() - interval '${hours} hours'`);
  await age(25);
  await expectAlert('RemovalRequestWaits');
  expect(alerts().map(({ alertname }) => alertname)).not.toContain('RemovalRequestUrgent');
  await age(41);
  await observe(1);
  await expectAlert('RemovalRequestUrgent');
});

test('ServerErrors', async () => {
  const { api, pool, expectAlert } = await startWatched();
  await pool.query('alter table rm.ad_cards rename to ad_cards_elsewhere');
  const statuses = await Promise.all(
    Array.from({ length: 15 }, async (_, index) => (await api.call('GET', `/api/search?q=word${index}`)).status),
  );
  expect(statuses.every((status) => status >= 500)).toBe(true);
  await expectAlert('ServerErrors');
});

test('SlowRequests', async () => {
  const { api, pool, expectAlert } = await startWatched();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('lock table rm.ad_cards');
    const reads = Array.from({ length: 40 }, (_, index) => api.call('GET', `/api/search?q=word${index}`));
    // On a busy machine, the requests arrive late.
    await eventually(async () => {
      const { rowCount } =
        await client.query(`select from pg_locks where not granted and relation = 'rm.ad_cards'::regclass
        and database = (select oid from pg_database where datname = current_database())`);
      expect(rowCount).toBeGreaterThan(0);
    });
    await new Promise((resolve) => setTimeout(resolve, 800));
    await client.query('commit');
    await Promise.all(reads);
  } finally {
    client.release();
  }
  await expectAlert('SlowRequests');
});

test('MailsRejected and DeadJobs', async () => {
  const server = await startMailServer({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('No such user'), { responseCode: 550 })),
  });
  closers.push(() => server.close());
  const url = `smtp://127.0.0.1:${server.port}?tls=off`;
  const { product, api, expectAlert } = await startWatched({ mail: { kind: 'smtp', url, from: FROM } });
  for (let person = 0; person < 8; person += 1) await api.signUp('client', { verify: false });
  await eventually(async () =>
    expect(await metricOf(product.url, /^mails_total\{result="rejected"\} (\d+)$/mu)).toBeGreaterThanOrEqual(8),
  );
  await expectAlert('MailsRejected');
  await expectAlert('DeadJobs', { kind: 'account-mail' });
});

test('MailsUnsent', async () => {
  const mail = { kind: 'smtp', url: 'smtp://127.0.0.1:1', from: FROM } as const;
  const { product, api, expectAlert } = await startWatched({ mail });
  for (let person = 0; person < 4; person += 1) await api.signUp('client', { verify: false });
  await eventually(async () =>
    expect(await metricOf(product.url, /^mails_total\{result="unavailable"\} (\d+)$/mu)).toBeGreaterThanOrEqual(4),
  );
  await expectAlert('MailsUnsent');
});

test('DiskAlmostFull and DiskFull', async () => {
  // A disk cannot be filled in a test, so its free space is replaced.
  const registry = createMetrics();
  let bavail = 50;
  const read = () => Promise.resolve({ bsize: 4_096, blocks: 100, bavail });
  registerDiskMetrics(registry, { data: '/data' }, read);
  const { observe, alerts, expectAlert } = watch(
    () => registry.metrics(),
    rules.filter(({ alert }) => /^Disk/u.test(alert)),
  );
  await observe(30);
  expect(alerts()).toEqual([]);
  bavail = 14;
  await expectAlert('DiskAlmostFull', { folder: 'data' });
  expect(alerts()).toHaveLength(1);
  bavail = 4;
  await expectAlert('DiskFull', { folder: 'data' });
});

test('BackupOld and BackupVeryOld, also without any backup', async () => {
  const { pool, observe, alerts, expectAlert } = await startWatched();
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const names = () => alerts().flatMap(({ alertname = '' }) => (alertname.startsWith('Backup') ? [alertname] : []));
  await pool.query(`update pgmigrations set run_on = now() - interval '27 hours'`);
  await expectAlert('BackupOld');
  await recordBackup(pool, hoursAgo(1));
  await observe(1);
  expect(names()).toEqual([]);
  await pool.query(`update ops.backups set made_at = made_at - interval '26 hours'`);
  await observe(1);
  expect(names()).toEqual(['BackupOld']);
  await pool.query(`update ops.backups set made_at = made_at - interval '2 days'`);
  await expectAlert('BackupVeryOld');
});

test('CertificateExpires and CertificateExpiresSoon', async () => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  for (const [remaining, names] of [
    [40, []],
    [10, ['CertificateExpiresSoon']],
    [2, ['CertificateExpiresSoon', 'CertificateExpires']],
    [-1, ['CertificateExpiresSoon', 'CertificateExpires']],
  ] as const) {
    const server = tls.createServer(createCertificate({ from: days(-50), until: days(remaining) }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    const siteUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { observe, alerts } = await startWatched({ siteUrl });
    await observe(60);
    const found = alerts().filter(({ alertname }) => alertname?.startsWith('Certificate'));
    expect(found.map(({ alertname, name }) => [alertname, name])).toEqual(names.map((name) => [name, 'site']));
    expect(alerts()).not.toContainEqual(expect.objectContaining(WITHOUT_SITE));
  }
});

describe('the absence of metrics', () => {
  test('MetricUnreadable', async () => {
    const { pool, expectAlert } = await startWatched();
    await pool.query('alter table ops.backups rename to elsewhere');
    await expectAlert('MetricUnreadable', { metric: 'backup_age_seconds' });
    await expectAlert('MetricMissing', { metric: 'backup_age_seconds', service: 'projectors' });
  });

  test('ProcessDown and MetricMissing', async () => {
    const product = await startTestProduct();
    const { observe, alerts, expectAlert } = watch(() => readMetrics(product.url));
    await observe(5);
    await product.stop();
    await expectAlert('ProcessDown', PROCESS);
    await observe(90);
    const missing = rules.filter(({ alert }) => alert === 'MetricMissing').map(({ labels }) => labels['metric']);
    const sent = alerts().filter(({ alertname }) => alertname === 'MetricMissing');
    expect(sent.map(({ metric }) => metric).sort()).toEqual(missing.toSorted());
  });

  test('NothingScraped and ServiceMissing', () => {
    // Prometheus has no process of the product, e.g. because its configuration was replaced.
    const recording = createRecording();
    for (let minute = 0; minute < 20; minute += 1) recording.add({ job: 'other' }, minute * 60, 'a 1\n');
    const sent = rules.flatMap((rule) => findAlerts(rule, recording.series(), 19 * 60));
    const names = sent.map(({ alertname }) => alertname);
    expect(names).toContain('NothingScraped');
    expect(names.filter((name) => name === 'ServiceMissing')).toHaveLength(7);
  });

  test('ServiceUnreachable', async () => {
    const unreachable = ['http://127.0.0.1:1'];
    const groups = await watchServices({ commandApi: unreachable, queryApi: unreachable, shell: unreachable });
    closers.push(() => Promise.all(Object.values(groups).map((group) => group.stop())));
    const registry = createMetrics();
    registerGatewayMetrics(registry, groups);
    const { expectAlert } = watch(() => registry.metrics());
    for (const service of ['command-api', 'query-api', 'shell']) await expectAlert('ServiceUnreachable', { service });
  });
});
