import { OPERATIONS, type Access, type Operation, type OperationId } from '@alpenglow/domain/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { validAd } from '../support/api.ts';
import { openRecording } from '../support/recording.ts';
import { apiRoutesOf } from '../support/routes.ts';
import { isFullRun, sampleOf } from '../support/sample.ts';
import { createTestPool } from '../support/database.ts';
import { waitForReadModels } from '../support/threads.ts';
import { whenAvailable } from '../support/when-available.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/**
 * A kind of account that sends requests. `other` is a provider with an ad who does not own the requested resource.
 * `expired` sends the token of an expired session.
 */
type Caller = 'anonymous' | 'client' | 'provider' | 'other' | 'moderator' | 'admin' | 'expired';
const CALLERS: readonly Caller[] = ['anonymous', 'client', 'provider', 'other', 'moderator', 'admin', 'expired'];
/**
 * The resource whose id replaces `{id}` in the path. `ad` and `thread` belong to `provider`. The bystander is a
 * provider with an ad who sends no requests.
 */
type Target = 'ad' | 'thread' | 'client' | 'bystander' | 'bystander-ad';
/**
 * The request body and the requested resource of one API operation, and the expected statuses that the declaration of
 * the operation does not determine. `FAVORITE` is replaced by a body with the ad of `provider`. `REPORT` is replaced by
 * a body with the opening post of the thread of `provider`.
 */
interface Row {
  readonly body?: unknown;
  /** The requested resource. The default is the bystander for staff operations, and the ad for all other operations. */
  readonly id?: Target;
  /** Expected status for callers that have access. The default is the lowest status that the operation declares. */
  readonly status?: number;
  /** Expected statuses for callers that have access but that a rule of the domain rejects. */
  readonly callers?: Partial<Statuses>;
}
type Statuses = Readonly<Record<Caller, number>>;
const FAVORITE = Symbol('favorite');
const REPORT = Symbol('report');

const CLIENTS_ONLY = { provider: 403, other: 403 } as const;

/** Kinds of callers that lack the declared access, with the status of the error response to their requests. */
const REJECTED: Readonly<Record<Access, Partial<Statuses>>> = {
  none: {},
  optional: { expired: 401 },
  bearer: { anonymous: 401, expired: 401 },
  statement: { anonymous: 401, expired: 401 },
  moderator: { anonymous: 401, expired: 401, client: 403, provider: 403, other: 403 },
  admin: { anonymous: 401, expired: 401, client: 403, provider: 403, other: 403, moderator: 403 },
};

/** Returns the error code of the response to a caller who lacks the declared access, or null for other callers. */
function denialCode({ id, access }: Operation, caller: Caller): string | null {
  const status = REJECTED[access][caller];
  if (status === undefined) return null;
  if (status === 403) return access === 'admin' ? 'ONLY_ADMINS' : 'ONLY_MODERATORS';
  return id === 'verifySession' && caller === 'expired' ? 'TOKEN_VERIFICATION_FAILED' : 'AUTHENTICATION_REQUIRED';
}

function isStaffOperation({ access }: Operation): boolean {
  return access === 'moderator' || access === 'admin';
}

/** Returns the expected status for each caller. */
function expectedStatuses({ access, responses }: Operation, { status, callers }: Row): Statuses {
  const allowed = status ?? Math.min(...Object.keys(responses).map(Number));
  const statuses = Object.fromEntries(CALLERS.map((caller) => [caller, allowed])) as Statuses;
  return { ...statuses, ...REJECTED[access], ...callers };
}

const UNKNOWN = 'unknown@example.com';
const ARTICLE = { slug: 'meeting-safely', title: 'Meeting safely', summary: 'What helps.', body: 'Text' };

const RULE = { title: 'Copied text', phrases: ['copied'], rule: 'spam', facts: 'Copied from elsewhere.' };

const PLACE = { state: 'NV', city: 'Las Vegas' };

/**
 * Contains a row for every API operation, in the order of the tests. The order matters, because requests change the
 * data of later requests. The declaration of an operation determines its method, path and access. A row is empty if the
 * operation has no body, the default resource and the default statuses. A missing row is a type error.
 */
const MATRIX: Readonly<Record<Exclude<OperationId, 'openLiveChannel'>, Row>> = {
  getHealth: {},
  readDocs: {},
  readSchemaDocs: {},
  getDocument: {},
  getSyncStatus: {},
  forceSync: {},
  reportFrontEnds: { body: { errors: [{ frontEnd: 'shell', hash: '', kind: 'render' }] } },
  getFrontEndStatistics: {},

  listAds: {},
  countAds: {},
  listNearbyAds: {},
  listFeaturedAds: {},
  listAdsOfPlace: {},
  listOwnAds: {},
  getAd: {},
  getContactDetails: { status: 403, body: { token: 'unknown' } },
  previewAd: { body: { title: 'Calm evenings' } },
  countView: {},
  // The token in the mail identifies the account, so no login is needed.
  askWhetherToUnsubscribe: {},
  unsubscribe: { status: 400, body: { token: 'unknown' } },
  unsubscribeByMailProgram: { status: 400 },

  listThreads: {},
  listCommunityLocations: {},
  getThread: { id: 'thread' },
  getPostHistory: { callers: { client: 403, other: 403 }, id: 'thread' },
  listFollows: {},
  search: {},

  listArticles: {},
  getArticle: { status: 404 },
  getPhoto: { status: 404 },
  getVideo: { status: 404 },
  getMediaAccess: { status: 404 },

  signUp: { status: 400, body: {} },
  logIn: { status: 401, body: { email: UNKNOWN, password: 'wrong horse' } },
  verifySession: {},
  verifyEmail: { status: 400, body: { email: UNKNOWN, code: '123456' } },
  resendVerification: { body: { email: UNKNOWN } },
  forgotPassword: { body: { email: UNKNOWN } },
  resetPassword: { status: 400, body: { email: UNKNOWN, code: '123456', newPassword: 'correct horse' } },
  changePassword: { status: 400, body: { currentPassword: 'wrong horse', newPassword: 'correct horse' } },
  getTwoStep: {},
  setUpTwoStep: { status: 400, body: { password: 'wrong horse' } },
  confirmTwoStep: { status: 409, body: { code: '123456' } },
  disableTwoStep: { status: 400, body: { password: 'wrong horse', code: '123456' } },
  listSessions: {},
  endSession: { status: 404 },
  endOtherSessions: {},
  confirmSession: { status: 400, body: { password: 'wrong horse' } },
  issueLiveTicket: {},
  getProfile: {},
  updateProfile: { body: { displayName: 'Changed' } },
  refreshSession: {},

  uploadPhotos: { status: 400 },
  uploadVideo: { status: 400 },
  createPhotoUpload: { status: 400 },
  createVideoUpload: { status: 400 },
  getUploadOffset: { status: 404 },
  appendToUpload: { status: 404 },
  cancelUpload: { status: 404 },
  finishUpload: { status: 404 },
  postAd: { status: 403, callers: { provider: 409, other: 409 }, body: validAd },
  updateAd: { status: 403, callers: { provider: 200 }, body: { title: 'Changed' } },
  bumpAd: { status: 403, callers: { provider: 429 } },
  reviewAd: { callers: CLIENTS_ONLY, body: { comment: 'Kind.', rating: 5 } },
  editReview: { status: 404, body: { comment: 'Kind.', rating: 5 } },
  deleteReview: { status: 404 },

  startThread: { body: { ...PLACE, title: 'Another thread', body: 'Another thread.' } },
  replyToThread: { id: 'thread', body: { body: 'A reply.' } },
  previewPost: { body: { body: 'A *calm* place.' } },
  editPost: { status: 403, callers: { provider: 200 }, id: 'thread', body: { body: 'Changed.' } },
  markHelpful: { callers: { provider: 403 }, id: 'thread' },
  unmarkHelpful: { id: 'thread' },
  followThread: { id: 'thread', body: { mail: 'daily' } },
  unfollowThread: { id: 'thread' },
  fileReport: { body: REPORT },
  getReport: { status: 404 },
  // The token of the request replaces a login.
  requestRemoval: { status: 400, body: {} },
  getRemovalRequest: { status: 404 },
  addRemovalNote: { status: 404, body: { text: 'It is also in the second picture.' } },
  withdrawRemoval: { status: 404 },
  appealRemoval: { status: 404, body: { text: 'I did not consent.' } },
  listRemovals: {},
  getRemoval: { status: 404 },
  decideRemoval: { status: 404, body: { outcome: 'valid', facts: 'The person did not consent.' } },
  decideRemovalAppeal: { status: 404, body: { outcome: 'upheld', facts: 'So it stays.' } },
  exportRemoval: { status: 404, body: { passphrase: 'twelve quiet words for counsel' } },
  listDecisions: {},
  getDecision: { status: 404 },
  appeal: { status: 404, body: { text: 'It is mine.' } },
  respondToDecision: { status: 404, body: { text: 'The person in it is me.' } },
  listCases: {},
  getCase: { status: 404 },
  claimCase: { status: 404 },
  releaseCase: { status: 404 },
  restoreCases: { status: 200, body: { caseIds: ['ad-none'], facts: 'A coordinated attack.' } },
  decideCase: {
    status: 404,
    body: {
      outcome: 'kept',
      rule: 'other',
      facts: 'Nothing is wrong.',
    },
  },
  removeReview: { status: 404, id: 'ad' },
  decideAppeal: { status: 404, body: { outcome: 'upheld', facts: 'So it stays.' } },

  // All other callers receive 404, so the response does not show whether the user exists.
  listFavorites: { status: 404, callers: { client: 200, admin: 200 }, id: 'client' },
  addFavorite: { status: 201, callers: CLIENTS_ONLY, body: FAVORITE },
  removeFavorite: {},

  draftArticle: { body: ARTICLE },
  listArticlesAsAdmin: {},
  getArticleAsAdmin: {},
  reviseArticle: { body: { title: 'Changed' } },
  publishArticle: { body: {} },
  unscheduleArticle: {},
  correctArticle: { body: { body: 'Clearer', note: 'Clearer.' } },
  withdrawArticle: { body: {} },
  // The article is published at this point, so it cannot be discarded.
  discardArticle: { status: 409 },
  previewArticle: { body: { body: 'Text' } },

  getOverview: {},
  getPictureChecks: {},
  listHidingRules: {},
  draftHidingRule: { body: RULE },
  tryHidingRule: { body: RULE },
  // No hiding rule has the requested id, so the status is 404.
  changeHidingRule: { status: 404, body: RULE },
  switchHidingRuleOn: { status: 404 },
  switchHidingRuleOff: { status: 404 },
  discardHidingRule: { status: 404 },

  getRequest: {},
  listQueues: {},
  listJobs: {},
  getJob: { status: 404 },
  retryDeadJobs: {},
  retryJob: { status: 404 },
  removeJob: { status: 404 },
  listProjections: {},
  listRebuildDifferences: { status: 404 },
  listParkedEvents: { status: 404 },
  rebuildProjection: { status: 404 },
  pauseRebuild: { status: 404 },
  resumeRebuild: { status: 404 },
  cancelRebuild: { status: 404 },
  swapRebuild: { status: 404 },
  revertRebuild: { status: 404 },
  retryParkedEvent: { status: 404 },
  skipParkedEvent: { status: 404, body: { reason: 'Written by mistake.' } },

  listUsers: {},
  getUser: {},
  listAdsAsAdmin: {},
  listVerificationCodes: {},
  clearVerificationCodes: {},
  deleteVerificationCodes: {},
  clearVerificationCode: {},
  verifyUser: {},
  verifyUserAgain: {},
  getPersonData: {},
  setLegalHold: { body: { reason: 'A court requires it.' } },
  liftLegalHold: { body: { reason: 'The case is closed.' } },
  eraseMe: { status: 400, body: { password: 'wrong horse' } },
  getErasure: { status: 404 },
  getIdentityCheck: {},
  requestIdentityCheck: { status: 403, callers: { provider: 400, other: 400 } },
  listIdentityChecks: {},
  getIdentityFile: { status: 404 },
  decideIdentityCheck: { status: 404, body: { accept: true, reason: 'Verified.' } },
  setRole: { body: { role: null, reason: 'Nothing to do yet.' } },
  featureAd: { id: 'bystander-ad', body: { featured: true } },
  deleteAdAsAdmin: { id: 'bystander-ad', body: { reason: 'Nothing to do yet.' } },
  exportDataOf: {},
  deleteUser: { body: { reason: 'Nothing to do yet.' } },

  listAdHistory: { id: 'ad' },
  explainAdRank: { id: 'ad' },
  getAdAsOf: { id: 'ad' },
  listUserHistory: {},
  getUserAsOf: {},
  listThreadHistory: { id: 'thread' },
  getThreadAsOf: { id: 'thread' },
  getTransparencyReport: {},
  exportOwnData: {},
  recordConsent: { body: { kind: 'cookies', textVersion: 1, choice: 'essential' } },
  listStaffReads: {},
  listDailyRoots: {},
  listLogEntries: {},
  getLogProof: { status: 404 },
  listHiddenPosts: {},
  hidePost: { id: 'thread', body: { hidden: false } },
  lockThread: { id: 'thread', body: { locked: true } },
  pinThread: { id: 'thread', body: { pinned: true } },
  moveThread: { id: 'thread', body: { state: 'NV', city: 'Reno' } },
  deletePost: { status: 403, callers: { provider: 200 }, id: 'thread' },

  deleteAd: { status: 403, callers: { provider: 200 } },
  erasePerson: { body: { reason: 'Requested by letter.' } },
  logOut: {},
};

const product = testProduct();
const api = testApi(product);
const tokens: Partial<Record<Caller, string>> = {};
let ids: Readonly<Record<Target, string>>;

beforeAll(async () => {
  // New accounts have to wait before they can post, so these accounts signed up in the past.
  const recording = await openRecording(product);
  const people = {
    client: 'client',
    provider: 'provider',
    other: 'provider',
    expired: 'provider',
    bystander: 'provider',
  } as const;
  const [client, provider, other, expired, bystander] = await Promise.all(
    Object.values(people).map((userType) => recording.member({ userType })),
  );
  const moderator = await recording.member({ role: 'moderator' });
  const admin = await recording.member({ email: 'admin@example.com' });
  await recording.close();
  if (!client || !provider || !other || !expired || !bystander) throw new Error('A member is missing');
  const pool = createTestPool(product.databaseUrl);
  await pool.query(`update auth.sessions set expires_at = now() where account_id = $1`, [expired.user.id]);
  await pool.end();
  const ad = await api.postAd(provider.token);
  await api.postAd(other.token);
  const bystanderAd = await api.postAd(bystander.token);
  const started = await api.call('POST', '/api/community/threads', {
    token: provider.token,
    body: { ...PLACE, title: 'A thread', body: 'A thread.' },
  });
  const { id: threadId } = started.body['data'] as { id: string };
  await waitForReadModels(product.url);
  ids = {
    ad: ad.id,
    thread: threadId,
    bystander: bystander.user.id,
    'bystander-ad': bystanderAd.id,
    client: client.user.id,
  };
  Object.assign(tokens, {
    client: client.token,
    provider: provider.token,
    other: other.token,
    moderator: moderator.token,
    admin: admin.token,
    expired: expired.token,
  });
});

const operationsInOrder = (Object.keys(MATRIX) as (keyof typeof MATRIX)[]).map((id) => {
  const operation: Operation | undefined = OPERATIONS.find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`The operation ${id} is not declared`);
  const row: Row = MATRIX[id];
  const target = row.id ?? (isStaffOperation(operation) ? 'bystander' : 'ad');
  return {
    ...operation,
    requestBody: row.body,
    target,
    statuses: expectedStatuses(operation, row),
    denialCodeOf: (caller: Caller) => denialCode(operation, caller),
  };
});

test('has exactly one row for every operation with a handler', () => {
  expect(
    operationsInOrder.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/gu, ':$1')}`).sort(),
  ).toEqual(apiRoutesOf(product.handler).sort());
});

test.each(sampleOf(operationsInOrder, 40))(
  '$id declares the access that its row expects',
  ({ path, access, statuses }) => {
    const { anonymous, client, moderator, admin, expired } = statuses;
    const requiresLogin = access === 'bearer' || access === 'statement' || access === 'moderator' || access === 'admin';
    expect(anonymous === 401 && !path.endsWith('/login'), 'without a token').toBe(requiresLogin);
    expect(expired === 401 && !path.endsWith('/login'), 'with an expired token').toBe(access !== 'none');
    if (access === 'moderator' || access === 'admin') expect(client, 'as a client').toBe(403);
    if (access === 'admin') expect(moderator, 'as a moderator').toBe(403);
    if (access === 'moderator') expect(moderator, 'as a moderator').toBe(admin);
  },
);

/** Checks whether an operation can be tested alone. Operations on an article depend on the requests of earlier rows. */
const isIndependent = (path: string) => !path.includes('{slug}');
const ROWS = sampleOf(
  operationsInOrder.filter(({ path }) => isFullRun || isIndependent(path)),
  24,
);

describe.each(ROWS)('$id', ({ method, path: template, requestBody, target, statuses, denialCodeOf }) => {
  // The owner sends the last request, because a successful request can change the results of the other requests.
  const order = [...CALLERS].sort((a, b) => Number(a === 'provider') - Number(b === 'provider'));
  test.each(order)('returns the expected status and denial to %s', async (caller) => {
    const path = template
      .replace('{first}/{second}', 'NV/Reno')
      .replace('{mediaId}/{variant}', 'unknown/320.jpg')
      .replace('{mediaId}', 'unknown')
      .replace('{uploadId}', 'unknown')
      .replace('{slug}', ARTICLE.slug)
      .replace('{queue}', 'photo-variants')
      .replace('{name}', 'unknown')
      .replace('{position}', '0')
      .replace('{number}', '0')
      .replace('{reviewId}', 'unknown')
      .replace('{id}', ids[target]);
    const token = tokens[caller];
    const body =
      requestBody === FAVORITE
        ? { adId: ids.ad }
        : requestBody === REPORT
          ? { subject: { kind: 'post', id: `${ids.thread}-0` }, reason: 'spam' }
          : requestBody;
    const send = () =>
      api.call(method, `/api${path}`, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
        // The version of the protocol is checked first.
        ...(path.startsWith('/uploads/resumable') && { headers: { 'tus-resumable': '1.0.0' } }),
      });
    const response = await (method === 'GET' ? whenAvailable(send) : send());
    expect(response.status, JSON.stringify(response.body)).toBe(statuses[caller]);
    const denial = denialCodeOf(caller);
    if (denial !== null) expect(response.body).toMatchObject({ success: false, code: denial });
    // A refresh returns a new token and revokes the old token, so later requests need the new token.
    if (token !== undefined && typeof response.body['token'] === 'string') tokens[caller] = response.body['token'];
  });
});
