import { account, type InclusionProofView, type LogEntryView } from '@alpenglow/domain';
import { grantRole, withdrawRole } from '@alpenglow/domain/deciders';
import { canonicalJson, sha256 } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse, Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { rootFromProof } from '../support/root-from-proof.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

/**
 * Tests the moderation log over the API. Only moderators can read the log. The root of a day is a public hash over all
 * log entries of that day. It proves that no entry was changed.
 */
const shown = watchResponseProperties('audit-api.test.ts');
const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let moderator: Person;
let helper: Person;
let member: Person;

const DAY_ms = 24 * 60 * 60_000;
/** The current time is read once, so that midnight during a run does not change the results. */
const NOW_ms = Date.now();
const daysAgo = (days: number) => new Date(NOW_ms - days * DAY_ms).toISOString();
const dayOf = (at: string) => at.slice(0, 10);
const HASH = /^[0-9a-f]{64}$/u;

const readLog = (query = '', token = moderator.token) => api.call('GET', `/api/admin/log${query}`, { token });
const proofOf = (eventId: string, token = moderator.token) =>
  api.call('GET', `/api/admin/log/${eventId}/proof`, { token });
/** Reads the roots of all days without a login. A root is a public hash over the log entries of one day. */
const readRoots = (query = '') => api.call('GET', `/api/audit/roots${query}`);
const entriesOf = (response: ApiResponse) => response.body['data'] as readonly LogEntryView[];
const invalidField = (field: string) => ({
  status: 400,
  body: { code: 'INVALID_FIELDS', fields: { [field]: expect.any(String) } },
});

/**
 * Grants the moderator role to a person, `days` days ago. If `isTemporary` is true, also withdraws the role on that
 * day. Then waits until the log contains `entries` entries.
 */
async function grantRoleOnDay(days: number, person: Person, isTemporary: boolean, entries: number): Promise<void> {
  const now = daysAgo(days);
  // The events of a day are appended together, because the product may store the root of the day at any time.
  await recording.commands.handle(
    account,
    person.user.id,
    (state, context) => {
      const granted = grantRole({ role: 'moderator', reason: 'Known for years' }, state, context);
      if (!isTemporary) return granted;
      const changed = granted.reduce((folded, event) => account.evolve(folded, event, now), state);
      return [...granted, ...withdrawRole({ reason: 'Moved away' }, changed, context)];
    },
    TEST_ORIGIN,
    { now },
  );
  await eventually(async () => expect((await readLog()).body['chain']).toMatchObject({ entries }));
}

beforeAll(async () => {
  [moderator, helper, member] = await Promise.all([recording.member(), recording.member(), recording.member()]);
  await grantRoleOnDay(2, moderator, false, 1);
  await grantRoleOnDay(1, helper, true, 3);
  const admin = await api.signUp('client', { email: 'admin@example.com' });
  const granted = await api.call('PUT', `/api/admin/users/${helper.user.id}/role`, {
    token: admin.token,
    body: { role: 'moderator', reason: 'Is back' },
  });
  expect(granted.status).toBe(200);
  await eventually(async () => expect((await readRoots()).body['data']).toHaveLength(2));
});
afterAll(async () => {
  shown.stop();
});

describe('the moderation log', () => {
  test('is readable for moderators only', async () => {
    expect((await api.call('GET', '/api/admin/log')).status).toBe(401);
    expect(await readLog('', member.token)).toMatchObject({ status: 403, body: { code: 'ONLY_MODERATORS' } });
  });
  test('is listed in pages, newest first, without sealed text', async () => {
    const pages: ApiResponse[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.body['nextCursor'] as string | null)
      pages.push(await readLog(`?limit=3${cursor && `&cursor=${cursor}`}`));
    expect(pages.map((page) => entriesOf(page).map(({ number, type, day }) => [number, type, day]))).toEqual([
      [
        [4, 'RoleGranted', expect.any(String)],
        [3, 'RoleWithdrawn', dayOf(daysAgo(1))],
        [2, 'RoleGranted', dayOf(daysAgo(1))],
      ],
      [[1, 'RoleGranted', dayOf(daysAgo(2))]],
    ]);
    expect(entriesOf(pages[0] as ApiResponse)[0]).toMatchObject({
      stream: `account-${helper.user.id}`,
      actor: { kind: 'account' },
      facts: { role: 'moderator' },
    });
    expect(pages[0]?.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(pages.map(({ body }) => body))).not.toMatch(
      /Known for years|Moved away|Is back|example\.com/u,
    );
  });
  test('can be filtered by type and by actor', async () => {
    const numbers = async (query: string) => entriesOf(await readLog(query)).map(({ number }) => number);
    expect(await numbers('?type=RoleWithdrawn')).toEqual([3]);
    expect(await numbers('?actor=test')).toEqual([3, 2, 1]);
    expect(await numbers('?actor=test&type=RoleGranted')).toEqual([2, 1]);
    expect(await numbers('?type=NeverHappened')).toEqual([]);
  });
  test.each(['?cursor=0', '?cursor=-1', '?cursor=1e3', '?cursor=x', `?cursor=${'9'.repeat(16)}`])(
    'rejects the query %s',
    async (query) => {
      expect(await readLog(query)).toMatchObject(invalidField('cursor'));
    },
  );
  test('rejects an invalid limit and invalid filters', async () => {
    expect(await readLog('?limit=0')).toMatchObject(invalidField('limit'));
    expect(await readLog('?type=Role%20Granted')).toMatchObject(invalidField('type'));
    expect(await readLog("?actor='--")).toMatchObject(invalidField('actor'));
  });
});

describe('a proof of inclusion', () => {
  test('leads from an entry of yesterday to the public root of that day', async () => {
    const { body } = await readRoots();
    const roots = body['data'] as readonly InclusionProofView['root'][];
    for (const { eventId, ...entry } of entriesOf(await readLog('?actor=test'))) {
      const proof = (await proofOf(eventId)).body['data'] as InclusionProofView;
      expect(proof.entry).toEqual({ eventId, ...entry });
      const steps = proof.steps.map(({ side, hash }) => ({ side, hash: Buffer.from(hash, 'hex') }));
      expect(rootFromProof(Buffer.from(entry.hash, 'hex'), steps).toString('hex')).toBe(proof.root.root);
      expect(roots).toContainEqual(proof.root);
      expect(proof.root.day).toBe(entry.day);
      // The root is computed from the hash of the entry, so a different hash of the entry leads to a different root.
      expect(rootFromProof(Buffer.from(entry.dataHash, 'hex'), steps).toString('hex')).not.toBe(proof.root.root);
    }
  });
  test('contains the hash of the previous entry, from which the hash of the entry follows', async () => {
    const entries = entriesOf(await readLog('?actor=test'));
    const proof = (await proofOf(entries[0]?.eventId ?? '')).body['data'] as InclusionProofView;
    expect(proof.previousHash).toBe(entries[1]?.hash);
    const { hash, actor, ...rest } = proof.entry;
    expect(
      sha256(
        Buffer.from(proof.previousHash, 'hex'),
        canonicalJson({ ...rest, actor: { kind: actor.kind, name: actor.id } }),
      ).toString('hex'),
    ).toBe(hash);
  });
  test('is null until the day is over', async () => {
    const [newest] = entriesOf(await readLog('?limit=1'));
    expect(await proofOf(newest?.eventId ?? '')).toMatchObject({ status: 200, body: { data: null } });
  });
  test('is available to moderators only and returns 404 for unknown events', async () => {
    const [newest] = entriesOf(await readLog('?limit=1'));
    expect((await proofOf(newest?.eventId ?? '', member.token)).status).toBe(403);
    for (const unknown of ['0193a1b2-0000-7000-8000-000000000002', 'unknown'])
      expect(await proofOf(unknown)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
});

describe('the daily roots', () => {
  test('are public and listed in pages for past days', async () => {
    const first = await readRoots('?limit=1');
    expect(first.body).toMatchObject({
      data: [
        {
          day: dayOf(daysAgo(1)),
          first: 2,
          last: 3,
          root: expect.stringMatching(HASH),
          hash: expect.stringMatching(HASH),
        },
      ],
      nextCursor: dayOf(daysAgo(1)),
    });
    const second = await readRoots(`?limit=1&cursor=${String(first.body['nextCursor'])}`);
    expect(second.body).toMatchObject({ data: [{ day: dayOf(daysAgo(2)), first: 1, last: 1 }], nextCursor: null });
  });
  test.each(['x', '2026-02-31', '2026-13-01', '0000-01-01', '5'])('return 400 for the cursor %s', async (cursor) => {
    expect(await readRoots(`?cursor=${cursor}`)).toMatchObject(invalidField('cursor'));
  });
});

test('covers every field of the documented responses', () => expect(shown.missing()).toEqual([]));
