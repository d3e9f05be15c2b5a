import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { VERIFICATION_MAX_ATTEMPTS, type LiveSubscribe } from '@alpenglow/domain';
import { OPERATIONS, type Operation, type OperationId } from '@alpenglow/domain/api';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { apiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { query as readRows } from '../support/installation.ts';
import { connectLive } from '../support/live.ts';
import { pictures } from '../support/pictures.ts';
import { sampleOf } from '../support/sample.ts';
import { threadRecorder, waitForReadModels } from '../support/threads.ts';
import { testProduct, testRecording } from '../support/fixtures.ts';

/**
 * A stranger signs up with the address of another person, and compares what the new account can do with an account for
 * an unknown address. The first one is a stand-in account (decision 0055). Every operation of the API must respond to
 * both in the same way, and do the same work, so that no operation shows whether the address has an owner.
 * The requests follow from the declarations of the operations, so a new operation is tested without a change here.
 */

const USER_TYPES = ['provider', 'client'] as const;
type UserType = (typeof USER_TYPES)[number];
/** The first address only fills the caches, so that the others find them in the same state. */
const ADDRESS_KINDS = ['warm-up', 'unknown', 'owned'] as const;
type AddressKind = (typeof ADDRESS_KINDS)[number];

/** The owners have another one. */
const STRANGERS_PASSWORD = 'a strange horse battery';

/** A stranger who has signed up with an address. */
interface Stranger {
  readonly kind: AddressKind;
  readonly email: string;
  id: string;
  token: string;
  /** The cookie that identifies the browser. */
  cookie: string;
  /** The ids that the stranger has received, by the names of path parameters and fields. */
  readonly own: { mediaId: string; uploadId: string; reference: string };
}

interface Sent {
  readonly path?: string;
  readonly body?: unknown;
  readonly form?: FormData;
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isAnonymous?: boolean;
}

interface Observed {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: unknown;
  /** The statements of the database that the request has caused, in order. Their number decides how long it takes. */
  readonly statements: readonly string[];
}

const product = testProduct({ exposeVerificationCodes: false });
let server: Server;
let url: string;
const recording = testRecording(product);
let photo: Buffer;
let ids: { readonly ad: string; readonly thread: string; readonly review: string };
const statementsOfRequest = new AsyncLocalStorage<string[]>();
let addresses = 0;

beforeAll(async () => {
  server = createServer((req, res) =>
    statementsOfRequest.run(statementLists.get(String(req.headers['x-test-request'])) ?? [], () =>
      (product.handler as RequestListener)(req, res),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  photo = await pictures.jpeg(320, 240);
  const api = apiClient(product.url);
  const [provider, client] = await Promise.all([
    recording.member({ userType: 'provider' }),
    recording.member({ userType: 'client' }),
  ]);
  const ad = await api.postAd(provider.token);
  const reviewed = await api.call('POST', `/api/ads/${ad.id}/reviews`, {
    token: client.token,
    body: { comment: 'Kind.', rating: 5 },
  });
  const thread = await threadRecorder(recording).start({ accountId: client.user.id });
  ids = { ad: ad.id, thread: thread.id, review: (reviewed.body['data'] as { id: string }).id };
});
afterAll(async () => {
  server?.close();
});

/** The statements of each request, by the number that the test sends with it. */
const statementLists = new Map<string, string[]>();

/** Records the statements that requests send to Postgres. Polling of the product has no request, so it is ignored. */
function watchStatements(): void {
  const send = Client.prototype.query as (...parameters: unknown[]) => unknown;
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...parameters: unknown[]) {
    const [query] = parameters as [string | { readonly text?: string }];
    const text = typeof query === 'string' ? query : (query.text ?? '');
    // An append is sent alone, or in one statement together with concurrent appends of background processes.
    const statement = text
      .trim()
      .replaceAll(/\s+/gu, ' ')
      .replace(/ from es\.append(?:_one)?\(.*/u, ' from an append');
    const statements = statementsOfRequest.getStore();
    // An append is repeated if a background process has written to the same stream in the meantime.
    const isCompared = ![CACHED, WAITS, CREATES_KEYS, RECORDS_WRITES].some((pattern) => pattern.test(statement));
    if (statements && isCompared && statements.at(-1) !== statement) statements.push(statement);
    return send.apply(this, parameters);
  });
}

/** Sends a request, and returns its comparable response. */
async function observe(stranger: Stranger, method: string, template: string, sent: Sent): Promise<Observed> {
  const statements: string[] = [];
  const number = String(statementLists.size);
  statementLists.set(number, statements);
  const json = sent.body === undefined ? null : JSON.stringify(sent.body);
  const response = await fetch(`${url}/api${template}`, {
    method,
    redirect: 'manual',
    headers: {
      'x-test-request': number,
      cookie: stranger.cookie,
      ...(sent.isAnonymous !== true && { authorization: `Bearer ${stranger.token}` }),
      ...(json !== null && { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    body: json ?? sent.form ?? (sent.bytes ? new Uint8Array(sent.bytes) : null),
  });
  const text = await response.text();
  learnIds(stranger, response.headers, text);
  if (RESPONDS_FIRST.test(template)) await waitForWork(statements);
  const hide = createHider(stranger);
  return {
    status: response.status,
    headers: [...response.headers].map(([name, value]) => describeHeader(name, hide(value))).sort(),
    body: text.startsWith('{') ? hide(JSON.parse(text)) : hide(text),
    statements,
  };
}

/** Operations that respond before their work. */
const RESPONDS_FIRST = /\/(?:resend-verification|forgot-password)$/u;
/** Time in which a request that has responded sends its next statement, at most. */
const QUIET_ms = 50;

async function waitForWork(statements: readonly string[]): Promise<void> {
  for (let count = -1; count !== statements.length; await pause(QUIET_ms)) count = statements.length;
}
/** Statements whose results are cached for a short time: reads of the event store, of sessions and of data keys. */
const CACHED =
  /^select (?:asked|token_hash as "tokenHash"|account_id as id, wrapped_key|a\.id as "accountId", g\.generation)/u;
/**
 * Statements of a request that waits for the read models: the newest event, and what the read models contain. Requests
 * share these reads, and their number depends on how fast the projections are.
 */
const WAITS = /^select (?:position, id from es\.events order by position desc limit 1$|name, case when lost_position)/u;
/**
 * The statement that creates data keys. It is not compared, because one statement creates the keys for several requests
 * and for background work, and so it runs in the context of any of them. `countKeys` compares its result.
 */
const CREATES_KEYS = /^with secret as \(select replaced_at/u;
/**
 * The statements that record the last write of a session. They are not compared, because one statement records the
 * writes of several requests, and a second one follows if another request has locked the session. The appends of the
 * writes are compared.
 */
const RECORDS_WRITES =
  /^(?:with unlocked as \( ?select s\.session_id, w\.position|update auth\.sessions set written_position)/u;

/** Returns the number of data keys that the product has created for a stranger. */
async function countKeys({ id }: Stranger): Promise<number | undefined> {
  const [row] = await readRows<{ keys: number }>(
    product.databaseUrl,
    `select count(*)::integer as keys from auth.data_keys where split_part(account_id, '~', 1) = $1`,
    [id],
  );
  return row?.keys;
}

/** Headers that differ in every response, so only their names are compared. */
const UNIQUE_HEADERS = new Set([
  'date',
  'etag',
  'last-modified',
  'location',
  'set-cookie',
  'upload-expires',
  'x-position',
  'x-request-id',
]);
const describeHeader = (name: string, value: unknown) =>
  UNIQUE_HEADERS.has(name) ? name : `${name}: ${String(value)}`;

/** Fields whose values differ in every response. Their lengths are compared. */
const UNIQUE_FIELDS = new Set(['token', 'ticket', 'contactToken', 'access', 'requestId', 'reference', 'cursor']);

/** Returns a function that replaces the address, the ids and the times of a stranger by fixed texts. */
function createHider({ email, id, own }: Stranger) {
  const known = [
    [email, 'the address'],
    [id, 'the account'],
    ...Object.entries(own).filter(([, value]) => value !== ''),
  ].map(([first, second]) => (first === email || first === id ? [first, second] : [second, first]));
  return function hide(value: unknown, name = ''): unknown {
    if (typeof value === 'string') {
      if (UNIQUE_FIELDS.has(name)) return `${value.length} characters`;
      let text = value;
      for (const [secret = '', replacement = ''] of known) text = text.replaceAll(secret, replacement);
      return text
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, 'a time')
        .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu, 'an id')
        .replaceAll(/#[\w-]{43}/gu, '#a token');
    }
    if (Array.isArray(value)) return value.map((item) => hide(item));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, hide(item, field)]));
    return value;
  };
}

/** Keeps the ids and the tokens of a response for later requests. */
function learnIds(stranger: Stranger, headers: Headers, text: string): void {
  const upload = /\/uploads\/resumable\/([\w-]+)$/u.exec(headers.get('location') ?? '')?.[1];
  if (upload !== undefined) stranger.own.uploadId = upload;
  const [cookie = ''] = headers.getSetCookie().map((header) => header.split(';')[0]);
  if (cookie !== '') stranger.cookie = cookie;
  if (!text.startsWith('{')) return;
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const user = body['user'] as { readonly id: string } | undefined;
  if (user) stranger.id = user.id;
  if (typeof body['token'] === 'string') stranger.token = body['token'];
  const [file] = Array.isArray(body['media']) ? (body['media'] as readonly { readonly id: string }[]) : [];
  if (file) stranger.own.mediaId = file.id;
  if (typeof body['reference'] === 'string') stranger.own.reference = body['reference'];
}

/** Creates an address of this kind. All addresses have the same length. */
async function createAddress(kind: AddressKind): Promise<string> {
  addresses += 1;
  const email = `p${String(addresses).padStart(4, '0')}@example.com`;
  if (kind === 'owned')
    await apiClient(product.url).postAd((await recording.member({ email, userType: 'provider' })).token);
  return email;
}

const signUpWith = ({ email }: Stranger, userType: UserType, displayName: string): Sent => ({
  body: { email, password: STRANGERS_PASSWORD, userType, displayName, age: 30 },
  isAnonymous: true,
});

/** Signs up twice, because the second sign-up replaces the first one. Returns both responses. */
async function signUp(kind: AddressKind, userType: UserType): Promise<[Stranger, readonly Observed[]]> {
  const email = await createAddress(kind);
  const own = { mediaId: '', uploadId: '', reference: '' };
  const stranger: Stranger = { kind, email, id: '', token: '', cookie: '', own };
  const responses: Observed[] = [];
  for (const displayName of ['Somebody', 'Somebody else'])
    responses.push(await observe(stranger, 'POST', '/auth/signup', signUpWith(stranger, userType, displayName)));
  return [stranger, responses];
}

/** Operations that end the session, so they run last. */
const LAST: readonly OperationId[] = ['endOtherSessions', 'logOut'];

const isForStaff = ({ access }: Operation) => access === 'moderator' || access === 'admin';
const httpOperations = OPERATIONS.filter(({ isWebSocket, id }) => !isWebSocket && id !== 'signUp');
const operations = [
  ...httpOperations.filter((operation) => !isForStaff(operation)),
  // No stranger has access to these operations. `authorization-matrix.test.ts` tests all of them.
  ...sampleOf(httpOperations.filter(isForStaff), 10),
].toSorted((a, b) => LAST.indexOf(a.id as OperationId) - LAST.indexOf(b.id as OperationId));

/** Returns the requests of a stranger to an operation, with all ids that the stranger knows. */
function requestsTo(operation: Operation, stranger: Stranger): readonly Sent[] {
  const { access, body } = operation;
  const example = body?.kind === 'json' ? { body: adapt(body.example, stranger) } : {};
  const others = SPECIAL_REQUESTS[operation.id as OperationId]?.(stranger) ?? [];
  const all = [example, ...others].flatMap((sent) => pathsOf(operation, stranger).map((path) => ({ ...sent, path })));
  return access === 'bearer' || isForStaff(operation) || body === null
    ? all
    : [...all, ...all.map((sent) => ({ ...sent, isAnonymous: true }))];
}

const adapt = (example: Readonly<Record<string, unknown>>, { email }: Stranger) => ({
  ...example,
  ...('email' in example && { email }),
  ...('password' in example && { password: STRANGERS_PASSWORD }),
  ...('currentPassword' in example && { currentPassword: STRANGERS_PASSWORD }),
  ...('adId' in example && { adId: ids.ad }),
});

/** Returns the path with every id that the stranger could insert. */
function pathsOf(operation: Operation, { email, id, own }: Stranger): readonly string[] {
  const filled = operation.path
    .replace('{first}/{second}', 'NV/Reno')
    .replace('{mediaId}', own.mediaId || 'unknown')
    .replace('{uploadId}', own.uploadId || 'unknown')
    .replace('{reviewId}', ids.review)
    .replace('{reference}', own.reference || 'unknown')
    .replace('{variant}', '320.jpg')
    .replace('{number}', '0')
    .replace('{position}', '0');
  const known = [id, encodeURIComponent(email), ids.ad, ids.thread];
  const targets = !filled.includes('{id}') ? [''] : isForStaff(operation) ? [id] : known;
  return targets.map((target) => filled.replace('{id}', target).replaceAll(/\{\w+\}/gu, 'unknown'));
}

function formWith(field: string, bytes: Buffer): FormData {
  const form = new FormData();
  form.append(field, new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'photo.jpg');
  return form;
}

const TUS = { 'tus-resumable': '1.0.0' };

/** Requests whose values do not follow from the declaration. */
const SPECIAL_REQUESTS: Partial<Record<OperationId, (stranger: Stranger) => readonly Sent[]>> = {
  uploadPhotos: () => [{ form: formWith('photos', photo) }],
  uploadVideo: () => [{ form: formWith('video', photo) }],
  createPhotoUpload: () => [{ headers: { ...TUS, 'upload-length': String(photo.byteLength) } }],
  createVideoUpload: () => [{ headers: { ...TUS, 'upload-length': '100' } }],
  getUploadOffset: () => [{ headers: TUS }],
  appendToUpload: () => [
    {
      headers: { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      bytes: photo.subarray(0, 50),
    },
  ],
  cancelUpload: () => [{ headers: TUS }],
  requestIdentityCheck: () => [{ form: formWith('files', photo) }],
  fileReport: ({ id, own }) =>
    [
      { kind: 'account', id },
      { kind: 'account', id: ids.ad },
      { kind: 'ad', id: ids.ad },
      { kind: 'ad', id },
      { kind: 'media', id: own.mediaId },
      { kind: 'thread', id: ids.thread },
    ].map((subject) => ({ body: { subject, reason: 'other', text: 'A question.' } })),
  recordConsent: () => [{ body: { kind: 'cookies', textVersion: 1, choice: 'essential' } }],
  logIn: ({ email }) => [
    { body: { email, password: 'a wrong horse' } },
    { body: { email, password: STRANGERS_PASSWORD, code: '123456' } },
  ],
  updateProfile: ({ id }) => [{ body: { displayName: `Name ${id.length}`, age: 40 } }],
  changePassword: () => [{ body: { currentPassword: 'a wrong horse', newPassword: 'a third horse battery' } }],
  confirmSession: () => [{ body: { password: 'a wrong horse' } }],
  setUpTwoStep: () => [{ body: { password: 'a wrong horse' } }],
  eraseMe: () => [{ body: { password: 'a wrong horse' } }],
};

test.each(sampleOf(USER_TYPES, 1))('no operation shows a new %s whether the address has an owner', async (userType) => {
  watchStatements();
  const differences: string[] = [];
  const compare = (name: string, observed: ReadonlyMap<AddressKind, Observed>) =>
    void differences.push(...listDifferences(observed).map((difference) => `${name}: ${difference}`));
  const strangers: Stranger[] = [];
  const signUps: ReadonlyMap<AddressKind, Observed>[] = [new Map(), new Map()];
  for (const kind of ADDRESS_KINDS) {
    const [stranger, responses] = await signUp(kind, userType);
    strangers.push(stranger);
    for (const [index, one] of responses.entries()) (signUps[index] as Map<AddressKind, Observed>).set(kind, one);
  }
  for (const one of signUps) compare('signUp', one);
  const [, ofUnknown, ofOwned] = await Promise.all(strangers.map(countKeys));
  expect(ofUnknown).toBeGreaterThan(0);
  expect(ofOwned).toBe(ofUnknown);
  await waitForReadModels(product.url);
  let count = 0;
  for (const operation of operations) {
    const lists = strangers.map((stranger) => requestsTo(operation, stranger));
    for (const index of (lists[0] ?? []).keys()) {
      const send = async (): Promise<ReadonlyMap<AddressKind, Observed>> => {
        const observed = new Map<AddressKind, Observed>();
        for (const [number, stranger] of strangers.entries()) {
          const { path = '', ...sent } = lists[number]?.[index] ?? {};
          observed.set(stranger.kind, await observe(stranger, operation.method, path, sent));
          count += 1;
        }
        return observed;
      };
      let observed = await send();
      // A change in the background may have emptied a cache of public lists between two requests.
      for (
        let attempt = 0;
        operation.method === 'GET' && attempt < 10 && listDifferences(observed).length > 0;
        attempt += 1
      )
        observed = await send();
      // On a busy machine, work after a response can pause for longer. Its statements are added when it continues.
      if (RESPONDS_FIRST.test(operation.path))
        await eventually(() => expect(listDifferences(observed)).toEqual([])).catch(() => undefined);
      compare(`${operation.id} ${JSON.stringify(lists[0]?.[index])}`, observed);
    }
  }
  expect(differences).toEqual([]);
  expect(count).toBeGreaterThan(operations.length * strangers.length);
});

/** The requests that enter the wrong codes: with a session, or with only the cookie of the browser that signed up. */
const PLACES = [
  { place: 'session', isAnonymous: false },
  { place: 'browser', isAnonymous: true },
] as const;

test.each(PLACES)('wrong codes of the $place that signed up end the session at the next sign-up', async (sent) => {
  const observed = new Map<AddressKind, readonly number[]>();
  for (const kind of ADDRESS_KINDS) {
    const [stranger] = await signUp(kind, 'client');
    const { isAnonymous } = sent;
    const { email, token } = stranger;
    const statuses: number[] = [];
    for (let attempt = 0; attempt < VERIFICATION_MAX_ATTEMPTS; attempt += 1) {
      const body = { email, code: '000000' };
      statuses.push((await observe(stranger, 'POST', '/auth/verify-email', { body, isAnonymous })).status);
    }
    statuses.push(
      (await observe(stranger, 'POST', '/auth/signup', signUpWith(stranger, 'client', 'Somebody else'))).status,
    );
    stranger.token = token;
    statuses.push((await observe(stranger, 'POST', '/auth/verify', {})).status);
    observed.set(kind, statuses);
  }
  for (const kind of ADDRESS_KINDS) expect(observed.get(kind), kind).toEqual([400, 400, 400, 400, 400, 201, 401]);
});

function listDifferences(observed: ReadonlyMap<AddressKind, Observed>): readonly string[] {
  const [unknown, owned] = [observed.get('unknown'), observed.get('owned')];
  if (!unknown || !owned) return ['no response'];
  return (['status', 'headers', 'body', 'statements'] as const).flatMap((part) => {
    const [before, after] = [JSON.stringify(unknown[part]), JSON.stringify(owned[part])];
    return before === after ? [] : [`${part} ${before} for an unknown address, ${after} for one with an owner`];
  });
}

test('the live channel shows no difference either', async () => {
  const subscription: LiveSubscribe = { type: 'subscribe', id: 1, topics: [{ kind: 'own' }], since: null };
  const replies: unknown[] = [];
  for (const kind of ADDRESS_KINDS) {
    const [stranger] = await signUp(kind, 'provider');
    const live = await connectLive(product.url, { token: stranger.token });
    const reply = createHider(stranger)(await live.ask(subscription)) as Readonly<Record<string, unknown>>;
    live.close();
    replies.push({ ...reply, seq: typeof reply['seq'] });
  }
  for (const reply of replies) expect(reply).toEqual(replies[0]);
  expect(replies[0]).toMatchObject({ type: 'subscribed' });
});
