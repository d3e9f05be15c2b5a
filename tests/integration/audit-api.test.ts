import { account, grantRole, withdrawRole, type InclusionProofView, type LogEntryView } from '@alpenglow/domain';
import { canonicalJson, rootByProof, sha256 } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';
import { watchShown } from '../support/shown-elsewhere.ts';

/** The moderation log over the API: moderators read it, and whoever kept a day's root can tell that nothing of that day was changed. */
const shown = watchShown('audit-api.test.ts');
let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let moderator: Person;
let helper: Person;
let member: Person;

const DAY_ms = 24 * 60 * 60_000;
/** Fixed at the start, so that midnight changes nothing. */
const NOW_ms = Date.now();
const daysAgo = (days: number) => new Date(NOW_ms - days * DAY_ms).toISOString();
const dayOf = (at: string) => at.slice(0, 10);
const HASH = /^[0-9a-f]{64}$/u;

const readLog = (query = '', token = moderator.token) => api.call('GET', `/api/admin/log${query}`, { token });
const proofOf = (eventId: string, token = moderator.token) =>
  api.call('GET', `/api/admin/log/${eventId}/proof`, { token });
/** Without a login, as anybody may. */
const readRoots = (query = '') => api.call('GET', `/api/audit/roots${query}`);
const entriesIn = (answer: Answer) => answer.body['data'] as readonly LogEntryView[];
const refusedFor = (field: string) => ({
  status: 400,
  body: { code: 'INVALID_FIELDS', fields: { [field]: expect.any(String) } },
});

/** Somebody gets a role on a day that is over, and keeps it or not; waits until the log has it. */
async function onDay(days: number, person: Person, keepsIt: boolean, entries: number): Promise<void> {
  const options = { now: daysAgo(days) };
  await recording.commands.handle(
    account,
    person.user.id,
    (state) => grantRole({ role: 'moderator', reason: 'Known for years' }, state),
    BY_TEST,
    options,
  );
  if (!keepsIt)
    await recording.commands.handle(
      account,
      person.user.id,
      (state) => withdrawRole('Moved away', state),
      BY_TEST,
      options,
    );
  await eventually(async () => expect((await readLog()).body['chain']).toMatchObject({ entries }));
}

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  [moderator, helper, member] = await Promise.all([recording.member(), recording.member(), recording.member()]);
  await onDay(2, moderator, true, 1);
  await onDay(1, helper, false, 3);
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
  await recording?.close();
  await product?.stop();
});

describe('the log', () => {
  test('is for moderators', async () => {
    expect((await api.call('GET', '/api/admin/log')).status).toBe(401);
    expect(await readLog('', member.token)).toMatchObject({ status: 403, body: { code: 'ONLY_MODERATORS' } });
  });
  test('is read in pages, the newest first, and has no word that only a key may open', async () => {
    const pages: Answer[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.body['nextCursor'] as string | null)
      pages.push(await readLog(`?limit=3${cursor && `&cursor=${cursor}`}`));
    expect(pages.map((page) => entriesIn(page).map(({ number, type, day }) => [number, type, day]))).toEqual([
      [
        [4, 'RoleGranted', expect.any(String)],
        [3, 'RoleWithdrawn', dayOf(daysAgo(1))],
        [2, 'RoleGranted', dayOf(daysAgo(1))],
      ],
      [[1, 'RoleGranted', dayOf(daysAgo(2))]],
    ]);
    expect(entriesIn(pages[0] as Answer)[0]).toMatchObject({
      stream: `account-${helper.user.id}`,
      actor: { kind: 'account' },
      facts: { role: 'moderator' },
    });
    expect(pages[0]?.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(pages.map(({ body }) => body))).not.toMatch(
      /Known for years|Moved away|Is back|example\.com/u,
    );
  });
  test('is filtered by type and by who did it', async () => {
    const numbers = async (query: string) => entriesIn(await readLog(query)).map(({ number }) => number);
    expect(await numbers('?type=RoleWithdrawn')).toEqual([3]);
    expect(await numbers('?actor=test')).toEqual([3, 2, 1]);
    expect(await numbers('?actor=test&type=RoleGranted')).toEqual([2, 1]);
    expect(await numbers('?type=NeverHappened')).toEqual([]);
  });
  test.each(['?cursor=0', '?cursor=-1', '?cursor=1e3', '?cursor=x', `?cursor=${'9'.repeat(16)}`])(
    'refuses the cursor of %s',
    async (query) => {
      expect(await readLog(query)).toMatchObject(refusedFor('cursor'));
    },
  );
  test('refuses a limit and filters that can be none', async () => {
    expect(await readLog('?limit=0')).toMatchObject(refusedFor('limit'));
    expect(await readLog('?type=Role%20Granted')).toMatchObject(refusedFor('type'));
    expect(await readLog("?actor='--")).toMatchObject(refusedFor('actor'));
  });
});

describe('a proof', () => {
  test('leads from an entry of yesterday to the root everybody can read', async () => {
    const { body } = await readRoots();
    const roots = body['data'] as readonly InclusionProofView['root'][];
    for (const { eventId, ...entry } of entriesIn(await readLog('?actor=test'))) {
      const proof = (await proofOf(eventId)).body['data'] as InclusionProofView;
      expect(proof.entry).toEqual({ eventId, ...entry });
      const steps = proof.steps.map(({ side, hash }) => ({ side, hash: Buffer.from(hash, 'hex') }));
      expect(rootByProof(Buffer.from(entry.hash, 'hex'), steps).toString('hex')).toBe(proof.root.root);
      expect(roots).toContainEqual(proof.root);
      expect(proof.root.day).toBe(entry.day);
      // Another entry does not lead there.
      expect(rootByProof(Buffer.from(entry.dataHash, 'hex'), steps).toString('hex')).not.toBe(proof.root.root);
    }
  });
  test('is made of the entry as it is shown, and of the one before it', async () => {
    const entries = entriesIn(await readLog('?actor=test'));
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
  test('is not there before the day is over', async () => {
    const [newest] = entriesIn(await readLog('?limit=1'));
    expect(await proofOf(newest?.eventId ?? '')).toMatchObject({ status: 200, body: { data: null } });
  });
  test('is for moderators, of events that are in the log', async () => {
    const [newest] = entriesIn(await readLog('?limit=1'));
    expect((await proofOf(newest?.eventId ?? '', member.token)).status).toBe(403);
    for (const unknown of ['0193a1b2-0000-7000-8000-000000000002', 'unknown'])
      expect(await proofOf(unknown)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
});

describe('the roots', () => {
  test('are for everybody, in pages, of days that are over', async () => {
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
  test.each(['x', '2026-02-31', '2026-13-01', '0000-01-01', '5'])('refuse the cursor %s', async (cursor) => {
    expect(await readRoots(`?cursor=${cursor}`)).toMatchObject(refusedFor('cursor'));
  });
});

test('everything these answers may say was said', () => expect(shown.missing()).toEqual([]));
