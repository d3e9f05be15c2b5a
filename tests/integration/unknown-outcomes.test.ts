import { randomUUID } from 'node:crypto';
import { identity, listing, type JobInspector, type Position } from '@alpenglow/domain';
import { OPERATIONS, type OperationId } from '@alpenglow/domain/api';
import type { ReplayDirectory } from '@alpenglow/infra';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SAMPLES } from '../../projectors/test/samples.ts';
import { apiClient, validAd, type ApiResponse, type Person } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
import { DEAD_JOB } from '../support/dead-job.ts';
import { eventually } from '../support/eventually.ts';
import { openRecording, TEST_ORIGIN, type Recording } from '../support/recording.ts';
import { startUnreliableService, type AppendFailure, type UnreliableService } from '../support/unreliable-service.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/**
 * Tests that every operation with an `Idempotency-Key` can be repeated if its outcome is unknown (decision 0072). For
 * each append of an operation, the event store fails at this append and all later ones. The request is then repeated
 * with its key. The event log and the response must be those of a request without a failure.
 */

/** A request to an operation, with new content for each request. */
interface Request {
  readonly token?: string;
  /** Path of the operation, with the values of its parameters. */
  readonly path: string;
  readonly body?: unknown;
}

const product = testProduct();
let service: UnreliableService;
/** Client of the product, in which nothing fails. Prepares the content of the requests. */
const api = testApi(product);
let recording: Recording;
let pool: Pool;
let admin: Person;
let moderator: Person;
let client: Person;

/** The number of dead jobs. A test sets it to 0 after a request, as if the jobs had been retried or removed. */
let deadJobs = 0;
const inspector = {
  countJobs: () => Promise.resolve({ 'video-probe': { dead: deadJobs } }),
  find: () => Promise.resolve(deadJobs > 0 ? DEAD_JOB : null),
} as unknown as JobInspector;
/** True if the read model has a parked event. A request to retry or skip the event ends this. */
let isEventParked = false;
const replays: ReplayDirectory = {
  findState: (projection) => {
    const [state] = projection.split('_');
    return Promise.resolve({
      rebuild: state === 'none' ? null : { rebuildId: 'rebuild-1', state: state as 'running' },
      previous: { isReverting: false },
    });
  },
  findParkedEvent: (_projection, position: Position) =>
    Promise.resolve(isEventParked ? { eventId: 'event-1', position, subjectId: null } : null),
};

beforeAll(async () => {
  service = await startUnreliableService(product, { inspector, replays });
  recording = await openRecording(product);
  pool = createTestPool(product.databaseUrl, 2);
  admin = await recording.member({ email: 'admin@example.com' });
  moderator = await recording.member({ role: 'moderator' });
  client = await recording.member();
});
afterAll(async () => {
  await pool?.end();
  await recording?.close();
  await service?.stop();
});

const PLACE = { state: 'NV', city: 'Las Vegas' };
const RULE = { title: 'Copied text', phrases: ['copied'], rule: 'spam', facts: 'Copied from elsewhere.' };
const REASON = { reason: 'As agreed.' };

/** Sends a request that prepares content, and waits until every read contains its result. */
async function prepare(method: string, path: string, { token }: Person, body?: unknown): Promise<ApiResponse> {
  const response = await api.call(method, `/api${path}`, { token, ...(body !== undefined && { body }) });
  if (response.status >= 300) throw new Error(`${method} ${path} returned ${JSON.stringify(response.body)}`);
  return response;
}
const idIn = ({ body }: ApiResponse) => (body['data'] as { readonly id: string }).id;

/** Posts an ad that is old enough to be moved up in the list. Returns its owner and its id. */
async function postOldAd(): Promise<{ readonly owner: Person; readonly adId: string }> {
  const owner = await recording.member({ userType: 'provider' });
  const adId = randomUUID();
  const data = { ...SAMPLES.AdPosted.data, adId, accountId: owner.user.id, photos: [], video: null };
  const now = new Date(Date.now() - 24 * 60 * 60_000).toISOString();
  await recording.commands.handle(listing, owner.user.id, () => [{ type: 'AdPosted', data }], TEST_ORIGIN, { now });
  await eventually(async () => {
    const { status } = await api.call('GET', `/api/ads/${adId}`);
    if (status !== 200) throw new Error(`The ad has the status ${status}`);
  });
  return { owner, adId };
}
async function writeReview(): Promise<{ readonly author: Person; readonly path: string }> {
  const [{ adId }, author] = [await postOldAd(), await recording.member()];
  const written = await prepare('POST', `/ads/${adId}/reviews`, author, { comment: 'Kind.', rating: 5 });
  return { author, path: `/ads/${adId}/reviews/${idIn(written)}` };
}
/** Text that is long enough to be compared with the texts of other authors. */
const newText = () => `Where do you like to go on a quiet evening? ${randomUUID()} ${randomUUID()} ${randomUUID()}`;
async function startThread(): Promise<{ readonly author: Person; readonly path: string; readonly threadId: string }> {
  const author = await recording.member();
  const threadId = idIn(
    await prepare('POST', '/community/threads', author, { ...PLACE, title: 'A quiet place', body: newText() }),
  );
  return { author, threadId, path: `/community/threads/${threadId}` };
}
/** Reports an ad for a serious reason, which hides the ad. Returns the path of the moderation case. */
async function openCase(): Promise<{ readonly owner: Person; readonly caseId: string; readonly path: string }> {
  const { owner, adId } = await postOldAd();
  const reporter = await recording.member();
  await prepare('POST', '/reports', reporter, { subject: { kind: 'ad', id: adId }, reason: 'forced', text: null });
  return { owner, caseId: `ad-${adId}`, path: `/admin/moderation/cases/ad-${adId}` };
}
/**
 * Waits for the jobs that the opening of a case has caused. A job that has read the case before its content is restored
 * hides the content again for a moment, and restores it: these are two further events (`settleCase`).
 */
async function waitForCaseJobs(caseId: string): Promise<void> {
  await eventually(async () => {
    const { rows } = await pool.query(
      `select from rm.checkpoints
        where name = 'reactor-moderation'
          and position::bigint < (select max(position) from es.events where type in ('ReportFiled', 'CaseDecided'))
       union all
       select from jobs.unfinished
        where payload->>'caseId' = $1 or 'ad-' || (payload->'subject'->>'id') = $1`,
      [caseId],
    );
    if (rows.length > 0) throw new Error(`Jobs about ${caseId} are not done`);
  });
}
async function claimCase(by: Person = moderator) {
  const opened = await openCase();
  await prepare('POST', `${opened.path}/claim`, by);
  return opened;
}
async function decideCase(): Promise<{ readonly owner: Person; readonly path: string; readonly decisionId: string }> {
  const { owner, path } = await claimCase();
  const body = { outcome: 'hidden', rule: 'other', facts: 'It is forbidden.' };
  const decided = await prepare('POST', `${path}/decide`, moderator, body);
  const { decisionId } = decided.body['data'] as { readonly decisionId: string };
  return { owner, path, decisionId };
}
/** A removal request that names no existing content. */
const newRemoval = () => ({
  name: 'Anna Example',
  email: `${randomUUID()}@example.com`,
  relation: 'self',
  links: [`/ad/${randomUUID()}`],
  statement: true,
  signature: 'Anna Example',
});
/** Sends a removal request. Returns its path for moderators, and the path and the token of its private page. */
async function requestRemoval() {
  const response = await api.call('POST', '/api/removal-requests', { body: newRemoval() });
  const { id, statusUrl } = response.body['data'] as { readonly id: string; readonly statusUrl: string };
  return { id, path: `/admin/moderation/removals/${id}`, token: statusUrl.split('#')[1] ?? '' };
}
async function draftRule(): Promise<string> {
  return `/admin/rules/${idIn(await prepare('POST', '/admin/rules', admin, RULE))}`;
}
const newArticle = () => ({ slug: `a-${randomUUID()}`, title: 'Meeting safely', summary: 'What helps.', body: 'Text' });
async function draftArticle(): Promise<string> {
  const article = newArticle();
  await prepare('POST', '/admin/blog/articles', admin, article);
  return `/admin/blog/articles/${article.slug}`;
}
async function publishArticle(publishAt: string | null = null): Promise<string> {
  const path = await draftArticle();
  await prepare('POST', `${path}/publish`, admin, { publishAt });
  return path;
}
const asAdmin = async (path: string | Promise<string>, body?: unknown): Promise<Request> => ({
  token: admin.token,
  path: await path,
  ...(body !== undefined && { body }),
});
async function ofUser(path: (id: string) => string, body?: unknown, verify = true): Promise<Request> {
  const { user } = await recording.member({ userType: 'provider', verify });
  return asAdmin(path(user.id), body);
}
/** A name of a projection, whose rebuild is in the given state. */
const projection = (state: string) => `/admin/projections/${state}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
async function withParkedEvent(action: string, body?: unknown): Promise<Request> {
  isEventParked = true;
  return asAdmin(`${projection('none')}/parked/0000000000000000001/${action}`, body);
}
async function withDeadJob(path: string): Promise<Request> {
  deadJobs = 2;
  return asAdmin(path);
}
async function requestIdentityCheck(): Promise<string> {
  const { user } = await recording.member({ userType: 'provider' });
  const data = { accountId: user.id, checkId: randomUUID(), files: 1 };
  const event = { type: 'IdentityCheckRequested', data } as const;
  await recording.commands.handle(identity, user.id, () => [event], TEST_ORIGIN);
  return `/admin/identity/${user.id}/decide`;
}

/** Creates a request to each operation that accepts an `Idempotency-Key`. */
const REQUESTS: Readonly<Partial<Record<OperationId, () => Promise<Request>>>> = {
  postAd: async () => ({
    token: (await recording.member({ userType: 'provider' })).token,
    path: '/ads',
    body: validAd,
  }),
  updateAd: async () => {
    const { owner, adId } = await postOldAd();
    return { token: owner.token, path: `/ads/${adId}`, body: { title: 'Changed' } };
  },
  deleteAd: async () => {
    const { owner, adId } = await postOldAd();
    return { token: owner.token, path: `/ads/${adId}` };
  },
  bumpAd: async () => {
    const { owner, adId } = await postOldAd();
    return { token: owner.token, path: `/ads/${adId}/bump` };
  },
  deleteAdAsAdmin: async () => asAdmin(`/admin/ads/${(await postOldAd()).adId}`, REASON),
  featureAd: async () => asAdmin(`/admin/ads/${(await postOldAd()).adId}/featured`, { featured: true }),
  reviewAd: async () => {
    const { adId } = await postOldAd();
    const { token } = await recording.member();
    return { token, path: `/ads/${adId}/reviews`, body: { comment: 'Kind.', rating: 5 } };
  },
  editReview: async () => {
    const { author, path } = await writeReview();
    return { token: author.token, path, body: { comment: 'Very kind.', rating: 4 } };
  },
  deleteReview: async () => {
    const { author, path } = await writeReview();
    return { token: author.token, path };
  },
  removeReview: async () => {
    const { path } = await writeReview();
    return { token: moderator.token, path: `/admin/moderation${path}` };
  },
  addFavorite: async () => ({
    token: (await recording.member()).token,
    path: '/favorites',
    body: { adId: (await postOldAd()).adId },
  }),
  removeFavorite: async () => {
    const [{ adId }, person] = [await postOldAd(), await recording.member()];
    await prepare('POST', '/favorites', person, { adId });
    return { token: person.token, path: `/favorites/${adId}` };
  },

  startThread: async () => ({
    token: (await recording.member()).token,
    path: '/community/threads',
    body: { ...PLACE, title: 'A quiet place', body: newText() },
  }),
  replyToThread: async () => ({
    token: (await recording.member()).token,
    path: `${(await startThread()).path}/replies`,
    body: { body: newText() },
  }),
  editPost: async () => {
    const { author, path } = await startThread();
    return { token: author.token, path: `${path}/posts/0`, body: { body: newText() } };
  },
  deletePost: async () => {
    const { author, path } = await startThread();
    return { token: author.token, path: `${path}/posts/0` };
  },
  markHelpful: async () => ({
    token: client.token,
    path: `${(await startThread()).path}/posts/0/helpful`,
  }),
  unmarkHelpful: async () => {
    const path = `${(await startThread()).path}/posts/0/helpful`;
    await prepare('POST', path, client);
    return { token: client.token, path };
  },
  followThread: async () => ({
    token: client.token,
    path: `${(await startThread()).path}/follow`,
    body: { mail: 'daily' },
  }),
  unfollowThread: async () => {
    const path = `${(await startThread()).path}/follow`;
    await prepare('PUT', path, client, { mail: 'daily' });
    return { token: client.token, path };
  },
  hidePost: async () => asAdmin(`/admin${(await startThread()).path}/posts/0/hidden`, { hidden: true, ...REASON }),
  lockThread: async () => asAdmin(`/admin${(await startThread()).path}/locked`, { locked: true }),
  pinThread: async () => asAdmin(`/admin${(await startThread()).path}/pinned`, { pinned: true }),
  moveThread: async () => asAdmin(`/admin${(await startThread()).path}/place`, { state: 'NV', city: 'Reno' }),

  fileReport: async () => ({
    token: (await recording.member()).token,
    path: '/reports',
    body: { subject: { kind: 'ad', id: (await postOldAd()).adId }, reason: 'forced', text: null },
  }),
  claimCase: async () => ({ token: moderator.token, path: `${(await openCase()).path}/claim` }),
  releaseCase: async () => ({ token: moderator.token, path: `${(await claimCase()).path}/release` }),
  decideCase: async () => ({
    token: moderator.token,
    path: `${(await claimCase()).path}/decide`,
    body: { outcome: 'removed', rule: 'other', facts: 'It is forbidden.' },
  }),
  restoreCases: async () => {
    const { caseId } = await openCase();
    await waitForCaseJobs(caseId);
    return asAdmin('/admin/moderation/restore', { caseIds: [caseId], facts: 'Many.' });
  },
  appeal: async () => {
    const { owner, decisionId } = await decideCase();
    return { token: owner.token, path: `/account/decisions/${decisionId}/appeal`, body: { text: 'It is mine.' } };
  },
  decideAppeal: async () => {
    const { owner, path, decisionId } = await decideCase();
    await prepare('POST', `/account/decisions/${decisionId}/appeal`, owner, { text: 'It is mine.' });
    await prepare('POST', `${path}/claim`, admin);
    return asAdmin(`${path}/appeal`, { outcome: 'upheld', facts: 'So it stays.' });
  },
  respondToDecision: async () => {
    const { owner } = await openCase();
    const decisionId = await eventually(async () => {
      const { body } = await api.call('GET', '/api/account/decisions', { token: owner.token });
      const [decision] = body['data'] as readonly { readonly id: string }[];
      if (!decision) throw new Error('The owner sees no decision');
      return decision.id;
    });
    return { token: owner.token, path: `/account/decisions/${decisionId}/response`, body: { text: 'It is mine.' } };
  },
  requestRemoval: async () => ({ path: '/removal-requests', body: newRemoval() }),
  decideRemoval: async () => ({
    token: moderator.token,
    path: `${(await requestRemoval()).path}/decide`,
    body: { outcome: 'rejected', facts: 'It names nothing.' },
  }),
  decideRemovalAppeal: async () => {
    const { id, path, token } = await requestRemoval();
    await prepare('POST', `${path}/decide`, moderator, { outcome: 'rejected', facts: 'It names nothing.' });
    const headers = { 'x-removal-token': token };
    const appeal = await api.call('POST', `/api/removal-requests/${id}/appeal`, {
      headers,
      body: { text: 'It does.' },
    });
    expect(appeal.status).toBe(200);
    return asAdmin(`${path}/appeal`, { outcome: 'upheld', facts: 'So it stays.' });
  },

  retryDeadJobs: () => withDeadJob('/admin/jobs/video-probe/retry'),
  retryJob: () => withDeadJob('/admin/jobs/video-probe/job-1/retry'),
  removeJob: () => withDeadJob('/admin/jobs/video-probe/job-1'),
  rebuildProjection: () => asAdmin(`${projection('none')}/rebuild`),
  pauseRebuild: () => asAdmin(`${projection('running')}/pause`),
  resumeRebuild: () => asAdmin(`${projection('paused')}/resume`),
  cancelRebuild: () => asAdmin(`${projection('running')}/cancel`),
  swapRebuild: () => asAdmin(`${projection('ready')}/swap`),
  revertRebuild: () => asAdmin(`${projection('none')}/revert`),
  retryParkedEvent: () => withParkedEvent('retry'),
  skipParkedEvent: () => withParkedEvent('skip', REASON),

  draftHidingRule: () => asAdmin('/admin/rules', RULE),
  changeHidingRule: () => asAdmin(draftRule(), { ...RULE, title: 'Changed' }),
  discardHidingRule: () => asAdmin(draftRule()),
  switchHidingRuleOn: async () => asAdmin(`${await draftRule()}/on`),
  switchHidingRuleOff: async () => {
    const path = await draftRule();
    await prepare('POST', `${path}/on`, admin);
    return asAdmin(`${path}/off`);
  },

  draftArticle: () => asAdmin('/admin/blog/articles', newArticle()),
  reviseArticle: () => asAdmin(draftArticle(), { title: 'Changed' }),
  discardArticle: () => asAdmin(draftArticle()),
  publishArticle: async () => asAdmin(`${await draftArticle()}/publish`, {}),
  unscheduleArticle: async () => asAdmin(`${await publishArticle('2100-01-01T00:00:00.000Z')}/unschedule`),
  correctArticle: async () => asAdmin(`${await publishArticle()}/correct`, { body: 'Clearer', note: 'Clearer.' }),
  withdrawArticle: async () => asAdmin(`${await publishArticle()}/withdraw`, {}),

  verifyUser: () => ofUser((id) => `/admin/users/${id}/verify`, undefined, false),
  verifyUserAgain: () => ofUser((id) => `/admin/users/${id}/verify`, undefined, false),
  clearVerificationCode: async () => {
    const { user } = await api.signUp('client', { verify: false });
    return asAdmin(`/admin/verification-codes/${user.id}`);
  },
  setRole: () => ofUser((id) => `/admin/users/${id}/role`, { role: 'moderator', ...REASON }),
  setLegalHold: () => ofUser((id) => `/admin/users/${id}/legal-hold`, REASON),
  liftLegalHold: async () => {
    const request = await ofUser((id) => `/admin/users/${id}/legal-hold`, REASON);
    await prepare('PUT', request.path, admin, REASON);
    return request;
  },
  recordConsent: async () => ({
    path: '/consents',
    body: { kind: 'cookies', textVersion: 1, choice: 'essential' },
  }),
  erasePerson: () => ofUser((id) => `/admin/users/${id}/erasure`, REASON),
  decideIdentityCheck: () => asAdmin(requestIdentityCheck(), { accept: true, ...REASON }),
  deleteUser: async () => {
    const { owner } = await postOldAd();
    return asAdmin(`/admin/users/${owner.user.id}`, REASON);
  },
};

/** Operations that are not repeated here, each with the reason. */
const EXCEPTIONS: Readonly<Partial<Record<OperationId, string>>> = {
  clearVerificationCodes: 'It is about the open codes at the time of the request, and returns how many it has cleared.',
  deleteVerificationCodes: 'The same operation as clearVerificationCodes.',
};

/** Operations whose later steps are completed by an hourly task. They are tested without a failure of these steps. */
const COMPLETED_HOURLY: ReadonlySet<OperationId> = new Set<OperationId>(['decideIdentityCheck']);

const operations = OPERATIONS.filter(
  ({ method, headers }) => method !== 'GET' && (headers as readonly string[]).includes('Idempotency-Key'),
);

test('every operation with an Idempotency-Key has a request', () => {
  expect([...Object.keys(REQUESTS), ...Object.keys(EXCEPTIONS)].sort()).toEqual(operations.map(({ id }) => id).sort());
});

let requestCount = 0;
const newRequestId = (name: string) => `${name}-${(requestCount += 1)}-${randomUUID().slice(0, 8)}`;

/** Sends a request through the service whose event store can fail. */
async function send(
  method: string,
  { token, path, body }: Request,
  key: string,
  requestId = newRequestId('request'),
): Promise<ApiResponse> {
  const response = await apiClient(service.url).call(method, `/api${path}`, {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
    headers: { 'idempotency-key': key, 'x-request-id': requestId },
  });
  // The requested action on jobs and on parked events is then carried out, so that its object no longer exists.
  if (service.hasWritten(requestId)) [deadJobs, isEventParked] = [0, false];
  return response;
}

interface WrittenEvent {
  readonly type: string;
  /** The weight of a report, or the number of jobs. Null for other events. */
  readonly extra: string | null;
}

/** The actors of the jobs that complete interrupted requests. */
const JOBS = ['report', 'settle-case'];

/** Returns the events after a position that these requests or jobs have written, sorted by type. */
async function readEvents(position: string, requestIds: readonly string[]): Promise<readonly WrittenEvent[]> {
  const { rows } = await pool.query<WrittenEvent>(
    `select type, coalesce(data->>'weight', data->>'count') as extra from es.events
      where position > $1 and (meta->>'correlationId' = any($2) or meta->'actor'->>'name' = any($3))
      order by type, position`,
    [position, requestIds, JOBS],
  );
  return rows;
}
async function readHead(): Promise<string> {
  const { rows } = await pool.query<{ head: string }>('select max(position)::text as head from es.events');
  return rows[0]?.head ?? '0';
}

/** Replaces ids and times in a response, because they are different for every request. */
const withoutIds = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, 'ID')
      .replaceAll(/[0-9a-f]{32}/gu, 'ID')
      .replaceAll(/[0-9a-f]{16}/gu, 'ID')
      .replaceAll(/(?:a-quiet-place|thread)-[0-9a-z]{10}/gu, 'SLUG')
      .replaceAll(/[RT]-[0-9A-Z]{15}/gu, 'REFERENCE')
      .replaceAll(/#[\w-]{43}/gu, '#TOKEN')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, 'TIME'),
  );

describe.each(Object.keys(REQUESTS) as OperationId[])('%s', (id) => {
  const method = OPERATIONS.find((operation) => operation.id === id)?.method ?? '';
  const createRequest = () => (REQUESTS[id] as () => Promise<Request>)();

  test('has the result of one request if it is repeated after an append with an unknown outcome', async () => {
    const undisturbedId = newRequestId('undisturbed');
    const undisturbed = await createRequest();
    const start = await readHead();
    const expected = await send(method, undisturbed, randomUUID(), undisturbedId);
    expect(expected.status, JSON.stringify(expected.body)).toBeLessThan(300);
    const expectedEvents = await readEvents(start, [undisturbedId]);
    const appends = COMPLETED_HOURLY.has(id) ? 1 : service.countAppends(undisturbedId);
    expect(appends).toBeGreaterThan(0);
    const failures: readonly AppendFailure[] = ['response lost', 'not written'];
    for (const failure of failures) {
      for (let from = 1; from <= appends; from += 1) {
        const request = await createRequest();
        const [key, head] = [randomUUID(), await readHead()];
        const failedId = newRequestId('failed');
        service.failAppends(failedId, failure, from);
        const failed = await send(method, request, key, failedId);
        // If only later steps have failed, the product completes them, and the first response is already the result.
        if (failed.status >= 300) {
          expect(failed).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
          expect(await send(method, { ...request, body: { other: 'body' } }, key)).toMatchObject({
            status: 422,
            body: { code: 'IDEMPOTENCY_KEY_REUSED' },
          });
        }
        const repeatedId = newRequestId('repeated');
        const repeated = await send(method, request, key, repeatedId);
        expect([repeated.status, withoutIds(repeated.body)]).toEqual([expected.status, withoutIds(expected.body)]);
        await eventually(async () => expect(await readEvents(head, [failedId, repeatedId])).toEqual(expectedEvents));
        const again = await send(method, request, key);
        expect(again.headers.get('idempotency-replayed')).toBe('true');
        expect(again.body).toEqual(repeated.body);
      }
    }
  });
});

test('a visitor can repeat a report with its key, and it is filed once', async () => {
  const { adId } = await postOldAd();
  const request = { path: '/reports', body: { subject: { kind: 'ad', id: adId }, reason: 'spam', text: null } };
  const [key, failedId] = [randomUUID(), newRequestId('failed')];
  service.failAppends(failedId, 'response lost', 1);
  expect(await send('POST', request, key, failedId)).toMatchObject({ status: 503 });
  const repeated = await send('POST', request, key);
  expect(repeated.status).toBe(201);
  expect(await readWeights(adId)).toEqual([{ weight: null }]);
  const again = await send('POST', request, key);
  expect(again).toMatchObject({ status: 201, body: repeated.body });
});

test('an account that reports content again counts once, even if the counters were lost', async () => {
  const { adId } = await postOldAd();
  const { token } = await recording.member();
  const request = { token, path: '/reports', body: { subject: { kind: 'ad', id: adId }, reason: 'spam', text: null } };
  expect((await send('POST', request, randomUUID())).status).toBe(201);
  await eventually(async () => {
    const { rowCount } = await pool.query('select from rm.reports where case_id = $1', [`ad-${adId}`]);
    if (rowCount !== 1) throw new Error('The read model does not contain the report yet');
  });
  await pool.query('truncate requests.counts');
  expect((await send('POST', request, randomUUID())).status).toBe(201);
  expect(await readWeights(adId)).toEqual([{ weight: null }, { weight: 0 }]);
});

/** Returns the weight of each stored report about an ad. Null is the full weight. */
async function readWeights(adId: string): Promise<readonly { readonly weight: number | null }[]> {
  const { rows } = await pool.query<{ weight: number | null }>(
    `select (data->>'weight')::float8 as weight from es.events
      where type = 'ReportFiled' and data->'subject'->>'id' = $1 order by position`,
    [adId],
  );
  return rows;
}
