import { randomUUID } from 'node:crypto';
import {
  accountEvents,
  moderationEvents,
  personEvents,
  removalEvents,
  reportEvents,
  type Aggregate,
  type DomainEvent,
  type CaseId,
  toStreamId,
  listing,
} from '@alpenglow/domain';
import { createDataKeys, createPool, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import { PROJECTIONS, rebuildProjection } from '@alpenglow/projectors';
import { beforeAll, expect, test } from 'vitest';
import { TEST_ORIGIN } from '../support/recording.ts';
import { waitForReadModels } from '../support/threads.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let token: string;

beforeAll(async () => {
  ({ token } = await recording.member({ email: 'admin@example.com' }));
});

/** Creates an aggregate that accepts all events and has no state. */
const createStatelessAggregate = (name: string): Aggregate<null, DomainEvent> => ({
  name,
  initial: null,
  evolve: () => null,
  eventDefinitions: [...reportEvents, ...moderationEvents, ...accountEvents, ...personEvents, ...removalEvents],
});

/** Appends an event with a given time. */
async function appendAt(name: string, event: DomainEvent, now: string): Promise<void> {
  await recording.commands.handle(createStatelessAggregate(name), randomUUID(), () => [event], TEST_ORIGIN, { now });
}

const subject = { kind: 'ad', id: 'ad-1' } as const;
const evidence = { stream: toStreamId(listing, 'anna'), revision: 0 };
const reportFiled = (reason: 'spam' | 'forced'): DomainEvent => ({
  type: 'ReportFiled',
  data: { reportId: randomUUID(), reporterId: null, ownerId: null, subject, reason, text: null, evidence },
});
const caseDecided = (outcome: 'kept' | 'removed', openedAt: string, isAutomated = false): DomainEvent => ({
  type: 'CaseDecided',
  data: {
    caseId: 'case-1' as CaseId,
    decisionId: randomUUID(),
    round: 1,
    subject,
    ownerId: null,
    moderatorId: isAutomated ? null : 'mona',
    outcome,
    rule: 'spam',
    facts: '',
    isAutomated,
    hidingRuleId: null,
    wasHidden: true,
    evidence,
    openedAt,
  },
});

test('the report of a period counts its events, and is the same after a rebuild', async () => {
  const { user } = await recording.member();
  const accountId = user.id;
  await appendAt('report', reportFiled('spam'), '2025-12-31T23:59:59.999Z');
  await appendAt('report', reportFiled('spam'), '2026-01-01T00:00:00.000Z');
  await appendAt('report', reportFiled('spam'), '2026-01-31T23:59:59.999Z');
  await appendAt('report', reportFiled('forced'), '2026-01-10T12:00:00.000Z');
  await appendAt('case', caseDecided('removed', '2026-01-10T11:00:00.000Z', true), '2026-01-10T12:00:00.000Z');
  await appendAt('case', caseDecided('removed', '2026-01-10T12:00:00.000Z'), '2026-01-10T12:20:00.000Z');
  await appendAt('case', caseDecided('kept', '2026-01-10T12:00:00.000Z'), '2026-01-12T12:00:00.000Z');
  await appendAt(
    'case',
    { type: 'AppealFiled', data: { caseId: 'case-1' as CaseId, decisionId: 'd1', accountId, text: 'No.' } },
    '2026-01-11T00:00:00.000Z',
  );
  await appendAt(
    'case',
    {
      type: 'AppealDecided',
      data: {
        caseId: 'case-1' as CaseId,
        decisionId: 'd1',
        accountId,
        moderatorId: 'mara',
        outcome: 'overturned',
        facts: '',
        filedAt: '2026-01-11T00:00:00.000Z',
      },
    },
    '2026-01-12T00:00:00.000Z',
  );
  await appendAt(
    'person',
    { type: 'ErasureRequested', data: { accountId, receiptId: 'r1', by: 'self', reason: null } },
    '2026-01-13T00:00:00.000Z',
  );
  await appendAt(
    'person',
    { type: 'ErasureCompleted', data: { accountId, receiptId: 'r1' } },
    '2026-01-13T00:00:01.000Z',
  );
  await appendAt(
    'account',
    { type: 'AccountVerifiedByAdmin', data: { accountId, reason: null } },
    '2026-01-14T00:00:00.000Z',
  );

  const requestId = '0193a1b2-0000-7000-8000-0000000000bb';
  const requestedAt = '2026-01-15T00:00:00.000Z';
  const decided = { requestId, requestedAt, moderatorId: 'mara', facts: '' };
  await appendAt('removal', { type: 'RemovalDecided', data: { ...decided, outcome: 'valid' } }, requestedAt);
  await appendAt('removal', { type: 'RemovalDecided', data: { ...decided, outcome: 'rejected' } }, requestedAt);
  for (const at of ['2026-01-15T00:30:00.000Z', '2026-01-15T01:30:00.000Z', '2026-01-16T20:00:00.000Z'])
    await appendAt(
      'removal',
      { type: 'RemovalCompleted', data: { requestId, requestedAt, removed: [], copies: 0 } },
      at,
    );

  const read = async (query: string) => {
    const response = await api.call('GET', `/api/admin/transparency?${query}`, {
      token,
    });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    return response;
  };
  const january = 'from=2026-01-01&to=2026-01-31';
  await waitForReadModels(product.url);
  const first = (await read(january)).body;
  expect(first['data']).toEqual({
    from: '2026-01-01',
    to: '2026-01-31',
    reports: [
      { subject: 'ad', reason: 'spam', count: 2 },
      { subject: 'ad', reason: 'forced', count: 1 },
    ],
    decisions: [
      { subject: 'ad', outcome: 'kept', rule: 'spam', isAutomated: false, count: 1 },
      { subject: 'ad', outcome: 'removed', rule: 'spam', isAutomated: false, count: 1 },
      { subject: 'ad', outcome: 'removed', rule: 'spam', isAutomated: true, count: 1 },
    ],
    timeToDecision: { count: 2, halfWithin_s: 30 * 60 },
    appeals: {
      filed: 1,
      decided: [{ outcome: 'overturned', count: 1 }],
      timeToDecision: { count: 1, halfWithin_s: 24 * 60 * 60 },
    },
    erasures: { asked: [{ by: 'self', count: 1 }], completed: 1 },
    removals: {
      requested: 0,
      decided: [
        { outcome: 'rejected', count: 1 },
        { outcome: 'valid', count: 1 },
      ],
      timeToRemoval: { count: 3, halfWithin_s: 2 * 60 * 60, mostWithin_s: 44 * 60 * 60, longest_s: 44 * 60 * 60 },
    },
    identityChecks: [{ outcome: 'accepted', count: 1 }],
  });
  expect((await read('from=2025-12-01&to=2025-12-31')).body['data']).toMatchObject({
    reports: [{ reason: 'spam', count: 1 }],
    decisions: [],
    timeToDecision: { count: 0, halfWithin_s: null },
  });

  const csv = await read(`${january}&format=csv`);
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="transparency-2026-01-01-2026-01-31.csv"');
  expect(String(csv.body['text'])).toContain('2026-01-01,2026-01-31,reports,ad,spam,,,,2\r\n');

  const pool = createPool({ connectionString: product.databaseUrl, max: 4, applicationName: 'test' });
  const { dataKeys } = await loadSecrets(product.dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  const transparency = PROJECTIONS.find(({ name }) => name === 'transparency_days');
  if (!transparency) throw new Error('The projection transparency_days is missing');
  await rebuildProjection(transparency, { store, pool });
  await store.close();
  await pool.end();
  expect((await read(january)).body).toEqual(first);
});

test('an invalid period is rejected', async () => {
  for (const [query, field] of [
    ['from=2026-02-30', 'from'],
    ['to=x', 'to'],
    ['from=2026-02-01&to=2026-01-01', 'from'],
    ['format=xml', 'format'],
  ] as const)
    expect(await api.call('GET', `/api/admin/transparency?${query}`, { token })).toMatchObject({
      status: 400,
      body: { fields: { [field]: expect.any(String) as string } },
    });
});
