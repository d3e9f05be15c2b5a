import { randomUUID } from 'node:crypto';
import {
  START_POSITION,
  thread,
  type ParkedEventView,
  type ProjectionView,
  type StatementView,
} from '@alpenglow/domain';
import {
  createDataKeys,
  createPool,
  createPostgresEventStore,
  loadSecrets,
  twoStepCodes,
  withPersonalData,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, rebuildProjection } from '@alpenglow/projectors';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { after, apiClient, PASSWORD, type ApiClient, type Person } from '../support/api.ts';
import { findInText, findInFiles, findInTables } from '../support/clear-text.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { TEST_ORIGIN, openRecording, type Recording } from '../support/recording.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { waitForReadModels } from '../support/threads.ts';
import { blobFiles, upload } from '../support/uploads.ts';

// Tests that an erasure removes all data. Two accounts create all kinds of data. The first account is erased on its own
// request, and the second account by an admin. Afterwards no table, file, event or log line contains the texts of these
// accounts, even after a rebuild of all read models.

/** Each name is a single word, so that the tests also find the names in the word index of the search. */
const provider = { email: 'quixana.private@erased.example', displayName: 'Xylophona' };
const client = { email: 'zephyrine.private@erased.example', displayName: 'Zephyrinette' };
/**
 * Unique words in the data of both accounts. The value is a table that contains the word in clear text before the
 * erasure. `events` means that only decrypted events contain the word.
 */
const STORED_IN: Readonly<Record<string, string>> = {
  // Words in the account, the ad and the thread of the provider.
  quixana: 'rm.accounts',
  Yolandissima: 'rm.accounts',
  Xylophona: 'rm.ad_cards',
  Wunderkammer: 'rm.ad_cards',
  Marmaladen: 'rm.ad_details',
  Poplarious: 'rm.ad_details',
  '7025558675': 'rm.ad_details',
  Umbrellana: 'rm.ad_details',
  Quincunxes: 'rm.community_threads',
  Rhododendra: 'rm.community_posts',
  Sassafrasia: 'rm.community_posts',
  Tamarindo: 'rm.community_posts',
  // Words in reports by and about the provider, in the decision and its facts, and in the appeal.
  Eucalyptine: 'rm.reports',
  Gardeniaflor: 'rm.reports',
  Heliotropical: 'rm.decisions',
  Jacarandally: 'rm.decisions',
  Quillworthy: 'rm.decisions',
  Zinniaform: 'rm.community_posts',
  // Words in an event that an admin skipped, in the reason for skipping it, and in other reasons that admins have
  // given.
  Skippedonia: 'events',
  Ylangylang: 'events',
  Kaleidoscopia: 'events',
  Verbenatus: 'events',
  // Words in the account, the reviews and the reports of the client.
  zephyrine: 'rm.accounts',
  Nasturtiumed: 'rm.accounts',
  Zephyrinette: 'events',
  Impostoria: 'events',
  Kumquatted: 'rm.ad_details',
  Lavenderly: 'rm.reports',
};
const WORDS = Object.keys(STORED_IN);
/** Tables that an erasure can purge. Before the erasure, only these tables may contain personal data in clear text. */
const PURGEABLE = /^(?:rm|mail|requests)\./u;
const OTHERS = 'Dandelionesque';

const shown = watchResponseProperties('erasure.test.ts');
const lines: string[] = [];
let product: TestProduct;
let api: ApiClient;
let pool: Pool;
let recording: Recording;
let people: Readonly<Record<'erased' | 'reviewer' | 'other' | 'member' | 'admin' | 'mona' | 'max', Person>>;
let content: {
  readonly threadId: string;
  readonly threadPath: string;
  readonly otherAdId: string;
  readonly adId: string;
};
let twoStep: { readonly secret: string; readonly recoveryCodes: readonly string[]; readonly hashes: readonly string[] };

beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  vi.stubEnv('TEST_LOG_LEVEL', 'trace');
  product = await startTestProduct();
  api = apiClient(product.url);
  pool = createPool({ connectionString: product.databaseUrl, max: 4, applicationName: 'test' });
  recording = await openRecording(product);
  const [erased, reviewer, other, member, admin, mona, max] = await Promise.all([
    recording.member({ userType: 'provider', ...provider }),
    recording.member(client),
    recording.member({ userType: 'provider', displayName: OTHERS }),
    recording.member({}),
    recording.member({ email: 'admin@example.com' }),
    recording.member({ role: 'moderator', displayName: 'Mona' }),
    recording.member({ role: 'moderator', displayName: 'Max' }),
  ]);
  people = { erased, reviewer, other, member, admin, mona, max };
  content = await createContent();
});
afterAll(async () => {
  shown.stop();
  vi.unstubAllEnvs();
  await recording.close();
  await pool.end();
  await product.stop();
});

async function request(
  method: string,
  route: string,
  token: string | undefined,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await api.call(method, `/api${route}`, {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
    headers,
  });
  if (response.status >= 300)
    throw new Error(`${method} ${route} returned ${response.status}: ${JSON.stringify(response.body)}`);
  const position = response.headers.get('x-position');
  if (position !== null) await api.call('GET', '/api/community/threads?limit=1', { headers: after(position) });
  return response;
}

/** Creates the content of the two accounts that are erased later, and the reactions of other accounts to it. */
async function createContent(): Promise<typeof content> {
  const { erased, reviewer, other, member, admin } = people;
  const photos = await upload(product.url, 'photos', [{ bytes: await pictures.withGps() }], erased.token);
  const [photo = ''] = photos.body['urls'] as readonly string[];
  // An upload that is not complete.
  await request('POST', '/uploads/resumable/photos', erased.token, undefined, {
    'tus-resumable': '1.0.0',
    'upload-length': '10',
  });
  const ad = await api.postAd(erased.token, {
    name: 'Xylophona',
    title: 'A Wunderkammer',
    description: 'Marmaladen for two.',
    phone: '+1 702 555 8675',
    socialMedia: { website: 'https://umbrellana.example' },
    photos: [photo],
  });
  await request('PUT', `/ads/${ad.id}`, erased.token, { body: 'Poplarious as ever' });
  await request('PUT', '/auth/profile', erased.token, { displayName: 'Yolandissima' });
  const place = { state: 'NV', city: 'Las Vegas' };
  const started = await request(
    'POST',
    '/community/threads',
    erased.token,
    { ...place, title: 'The Quincunxes of home', body: 'Rhododendra *everywhere*.' },
    { 'idempotency-key': 'one' },
  );
  const { id: threadId, path: threadPath } = started.body['data'] as { id: string; path: string };
  await request('PUT', `/community/threads/${threadId}/follow`, member.token, { mail: 'instant' });
  await request('PUT', `/community/threads/${threadId}/follow`, erased.token, { mail: 'instant' });
  await request('POST', `/community/threads/${threadId}/replies`, member.token, {
    body: `${OTHERS} indeed.`,
    quotedNumber: 0,
  });
  await request('POST', `/community/threads/${threadId}/replies`, erased.token, { body: 'Sassafrasia, as always.' });
  await request('PUT', `/community/threads/${threadId}/posts/2`, erased.token, {
    body: 'Tamarindo, as everyone says.',
  });
  await request('POST', `/community/threads/${threadId}/posts/2/helpful`, member.token, {});
  await requestIdentityChecks();
  await request(
    'PUT',
    `/admin/users/${erased.user.id}/verify`,
    admin.token,
    { reason: 'Verified with Verbenatus.' },
    { 'idempotency-key': 'two' },
  );

  const otherAd = await api.postAd(other.token, { title: `${OTHERS} company` });
  await request(
    'POST',
    `/ads/${otherAd.id}/reviews`,
    reviewer.token,
    { comment: 'Kumquatted, and kind.', rating: 5 },
    { 'idempotency-key': 'three' },
  );
  // The stored response of this request contains a review by the erased client.
  await request('PUT', `/ads/${otherAd.id}`, other.token, { price: '400' }, { 'idempotency-key': 'four' });
  await request('POST', '/favorites', reviewer.token, { adId: ad.id });
  await request('POST', '/reports', reviewer.token, {
    subject: { kind: 'post', id: `${threadId}-1` },
    reason: 'spam',
    text: 'Lavenderly put.',
  });
  await request('POST', '/reports', erased.token, {
    subject: { kind: 'ad', id: otherAd.id },
    reason: 'other',
    text: 'Eucalyptine, in my opinion.',
  });
  await moderate(ad.id, threadId);
  await skipEvent(threadId);
  await request('POST', '/consents', erased.token, { kind: 'cookies', textVersion: 1, choice: 'all' });
  await setUpTwoStep();
  await request('POST', '/auth/signup', undefined, {
    email: client.email,
    password: 'another horse',
    userType: 'client',
    displayName: 'Impostoria',
    age: 40,
  });
  await request('POST', '/auth/forgot-password', undefined, { email: client.email });
  await request('PUT', '/auth/profile', reviewer.token, { displayName: 'Nasturtiumed' });
  await eventually(async () => {
    const { rows } = await pool.query<{ subject: string; to: string }>('select subject, "to" from mail.inbox');
    expect(rows.some(({ to }) => to === client.email)).toBe(true);
    expect(rows.some(({ subject, to }) => to === provider.email && subject.includes('Quincunxes'))).toBe(true);
    expect(rows.some(({ subject }) => subject.includes('Your content at Alpenglow'))).toBe(true);
    expect(rows.some(({ subject }) => subject.includes('Your request'))).toBe(true);
    // The upload is complete when the variants of the photo exist.
    expect((await blobFiles(product.dataDir)).length).toBeGreaterThan(3);
  });
  // A mail about this thread was just sent, so the next mail is delayed. The delayed job contains the id of the
  // recipient.
  await request('POST', `/community/threads/${threadId}/replies`, member.token, { body: `${OTHERS}, again.` });
  await eventually(async () =>
    expect(await statesOfJobs(erased.user.id)).toEqual(expect.arrayContaining(['delayed', 'completed'])),
  );
  // Creates copies of read models: the previous tables of a finished rebuild, and the new tables of a running rebuild.
  await startRebuild('accounts');
  await request('POST', '/admin/projections/accounts/swap', admin.token);
  await eventually(async () => expect((await findProjection('accounts'))?.rebuild?.state).toBe('swapped'));
  await startRebuild('ad_cards');
  // An admin searches for a part of the e-mail address. The search text must not appear in the log.
  await request('GET', '/admin/users?q=quixana', admin.token);
  return { threadId, threadPath, adId: ad.id, otherAdId: otherAd.id };
}

/** Creates a rejected and an open identity check of the provider. */
async function requestIdentityChecks(): Promise<void> {
  const { erased, admin } = people;
  await uploadIdentity(1);
  await request('POST', `/admin/identity/${erased.user.id}/decide`, admin.token, {
    accept: false,
    reason: 'Kaleidoscopia cannot be read.',
  });
  await uploadIdentity(2);
}

async function uploadIdentity(pages: number): Promise<void> {
  const form = new FormData();
  for (let page = 1; page <= pages; page += 1)
    form.append(
      'files',
      new Blob([new Uint8Array(await pictures.withGps())], { type: 'image/jpeg' }),
      `passport-${page}.jpg`,
    );
  const response = await fetch(`${product.url}/api/account/identity`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${people.erased.token}` },
  });
  expect(response.status).toBe(201);
}

/** Reports the ad anonymously, hides the ad, and restores the ad on appeal. Also hides a post of the thread. */
async function moderate(adId: string, threadId: string): Promise<void> {
  const { erased, mona, max } = people;
  const caseUrl = `/admin/moderation/cases/ad-${adId}`;
  await request('POST', '/reports', undefined, {
    subject: { kind: 'ad', id: adId },
    reason: 'other',
    text: 'Gardeniaflor is the name.',
  });
  await request('POST', `${caseUrl}/claim`, mona.token, {});
  await request('POST', `${caseUrl}/decide`, mona.token, {
    outcome: 'hidden',
    rule: 'contact',
    facts: 'Heliotropical in the second line.',
  });
  await waitForReadModels(product.url);
  const [statement] = (await request('GET', '/account/decisions', erased.token)).body['data'] as StatementView[];
  await request('POST', `/account/decisions/${statement?.id}/appeal`, erased.token, { text: 'Jacarandally untrue.' });
  await request('POST', `${caseUrl}/claim`, max.token, {});
  await request('POST', `${caseUrl}/appeal`, max.token, { outcome: 'overturned', facts: 'Quillworthy, after all.' });
  await request('POST', `/community/threads/${threadId}/replies`, erased.token, { body: 'This will be hidden.' });
  await request('PUT', `/admin/community/threads/${threadId}/posts/3/hidden`, mona.token, {
    hidden: true,
    reason: 'Zinniaform and unkind.',
  });
}

/** Creates an event that does not fit into a table. The projection sets the event aside, and an admin skips it. */
async function skipEvent(threadId: string): Promise<void> {
  const { erased, admin } = people;
  const reply = {
    threadId,
    number: 4,
    accountId: erased.user.id,
    admissionId: randomUUID(),
    body: 'Skippedonia for ever.',
    fingerprint: 'skipped',
    quotedNumber: 3_000_000_000,
  };
  await recording.commands.handle(thread, threadId, () => [{ type: 'ReplyPosted', data: reply }], TEST_ORIGIN);
  const parked = '/admin/projections/community_posts/parked';
  const readParked = async () =>
    ((await request('GET', parked, admin.token)).body['data'] as readonly ParkedEventView[]).filter(
      ({ error }) => error !== null,
    );
  await eventually(async () => expect(await readParked()).toHaveLength(1));
  await request('POST', `${parked}/${(await readParked())[0]?.position}/skip`, admin.token, {
    reason: 'Ylangylang wrote that.',
  });
  await eventually(async () => expect((await pool.query('select from rm.parked_events')).rowCount).toBe(0));
}

async function setUpTwoStep(): Promise<void> {
  const { token } = people.erased;
  const { secret } = (await request('POST', '/auth/two-step/setup', token, { password: PASSWORD })).body['data'] as {
    secret: string;
  };
  const { recoveryCodes } = (await request('POST', '/auth/two-step/confirm', token, { code: generateSync({ secret }) }))
    .body['data'] as { recoveryCodes: string[] };
  twoStep = {
    secret,
    recoveryCodes,
    hashes: recoveryCodes.map((code) => twoStepCodes.hashRecoveryCode(people.erased.user.id, code)),
  };
}

const findProjection = async (name: string) =>
  ((await request('GET', '/admin/projections', people.admin.token)).body['data'] as readonly ProjectionView[]).find(
    (projection) => projection.name === name,
  );
async function startRebuild(name: string): Promise<void> {
  await request('POST', `/admin/projections/${name}/rebuild`, people.admin.token);
  await eventually(async () => expect((await findProjection(name))?.rebuild?.state).toBe('ready'));
}

/** Returns the states of all jobs that contain an account id. */
async function statesOfJobs(accountId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ state: string }>('select state::text from bullmq.job j where j::text like $1', [
    `%${accountId}%`,
  ]);
  return rows.map(({ state }) => state);
}

/** Reads every row of every read model as text. */
async function dumpReadModels(): Promise<Readonly<Record<string, string>>> {
  const names = PROJECTIONS.flatMap((projection) => [
    projection.name,
    ...(projection.tallies ?? []).map(({ name }) => name),
  ]);
  const contents: Record<string, string> = {};
  for (const name of names) {
    const { rows } = await pool.query<{ row: string }>(`select to_jsonb(t)::text as row from rm.${name} t order by 1`);
    contents[name] = rows.map(({ row }) => row).join('\n');
  }
  return contents;
}

async function readDecryptedEvents(): Promise<string> {
  const { dataKeys } = await loadSecrets(product.dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  const events = await store.readAll({ after: START_POSITION, limit: 10_000 });
  await store.close();
  return JSON.stringify(events);
}

/** Returns all texts and generated secrets of the erased accounts that must not remain after the erasure. */
const allValues = () => [...WORDS, twoStep.secret, ...twoStep.recoveryCodes, ...twoStep.hashes];

/** Reads the HTML that the server renders for the thread page. */
const readPage = async () => (await fetch(`${product.url}${content.threadPath}`)).text();

const waitForCompletion = (receiptId: string) =>
  eventually(
    async () =>
      expect((await api.call('GET', `/api/account/erasure/${receiptId}`)).body['data']).toMatchObject({
        status: 'complete',
      }),
    { interval_ms: 250 },
  );

test('every value is in clear text before the erasure, and only in tables that can be purged', async () => {
  const { erased } = people;
  const secrets = [twoStep.secret, ...twoStep.hashes];
  const inTables = await findInTables(pool, allValues());
  const everywhere = [...inTables, ...findInText('events', await readDecryptedEvents(), allValues())];
  for (const [word, table] of [...Object.entries(STORED_IN), ...secrets.map((secret) => [secret, 'events'] as const)])
    expect(everywhere).toContain(`${table}: ${word}`);
  const copies = [
    'rm.ad_words: Wunderkammer',
    'rm.accounts__previous: quixana',
    'rm.ad_cards__rebuild: Wunderkammer',
    'mail.inbox: quixana',
    'mail.inbox: zephyrine',
    'mail.inbox: Quincunxes',
    'requests.answers: quixana',
  ];
  expect(everywhere).toEqual(expect.arrayContaining(copies));
  // Events, the moderation log, jobs and sessions contain no personal data in clear text. No table contains the
  // secrets, and recovery codes are stored nowhere.
  expect(inTables.filter((hit) => !PURGEABLE.test(hit) || secrets.some((secret) => hit.includes(secret)))).toEqual([]);
  expect(everywhere.filter((hit) => twoStep.recoveryCodes.some((code) => hit.includes(code)))).toEqual([]);

  expect(await statesOfJobs(erased.user.id)).toEqual(expect.arrayContaining(['delayed', 'completed']));
  // The server renders a page without data if reading the data takes too long.
  await eventually(async () => expect(await readPage()).toContain('Quincunxes'));
  // The photos are stored. Identity pictures are encrypted, so only the id of their owner is readable.
  expect((await blobFiles(product.dataDir)).filter((file) => file.includes('/photos/')).length).toBeGreaterThan(3);
  expect(
    (await findInFiles(product.dataDir, [erased.user.id])).filter((file) => file.includes('/identity/')),
  ).toHaveLength(2);
  expect(findInText('the log', lines.join(''), [content.threadId])).toHaveLength(1);
});

test('an erasure is rejected for a wrong password and during a legal hold', async () => {
  const { erased, admin } = people;
  expect(
    (await api.call('POST', '/api/account/erasure', { token: erased.token, body: { password: 'wrong horse' } })).body,
  ).toMatchObject({ code: 'WRONG_PASSWORD' });
  const hold = `/api/admin/users/${erased.user.id}/legal-hold`;
  expect(
    (await api.call('PUT', hold, { token: admin.token, body: { reason: 'A court requires Verbenatus.' } })).status,
  ).toBe(200);
  expect(
    (await api.call('GET', `/api/admin/users/${erased.user.id}/person`, { token: admin.token })).body['data'],
  ).toMatchObject({ heldSince: expect.any(String), erasure: null });
  expect(
    await api.call('POST', '/api/account/erasure', { token: erased.token, body: { password: PASSWORD } }),
  ).toMatchObject({ status: 409, body: { code: 'LEGAL_HOLD' } });
  expect(
    await api.call('POST', `/api/admin/users/${erased.user.id}/erasure`, {
      token: admin.token,
      body: { reason: 'Requested.' },
    }),
  ).toMatchObject({ status: 409, body: { code: 'LEGAL_HOLD' } });
  expect((await api.call('DELETE', hold, { token: admin.token, body: { reason: 'The case is closed.' } })).status).toBe(
    200,
  );
});

test('an admin cannot erase their own account or an unknown account', async () => {
  const { admin } = people;
  expect(
    (
      await api.call('POST', `/api/admin/users/${admin.user.id}/erasure`, {
        token: admin.token,
        body: { reason: 'Enough.' },
      })
    ).body,
  ).toMatchObject({ code: 'OWN_ACCOUNT' });
  expect(
    (await api.call('POST', '/api/admin/users/unknown/erasure', { token: admin.token, body: { reason: 'Enough.' } }))
      .body,
  ).toMatchObject({ code: 'USER_NOT_FOUND' });
  expect((await api.call('GET', '/api/account/erasure/0b7b5c1e-3f77-4c53-9a61-7f7f4f0c2b1d')).body).toMatchObject({
    code: 'ERASURE_NOT_FOUND',
  });
});

test('an erasure removes all data from tables, files, events and the log', async () => {
  const { erased, reviewer, admin } = people;
  const own = await api.call('POST', '/api/account/erasure', { token: erased.token, body: { password: PASSWORD } });
  expect(own).toMatchObject({ status: 202, body: { data: { status: 'under_way', completedAt: null } } });
  const erase = (email: string) =>
    api.call('POST', `/api/admin/users/${reviewer.user.id}/erasure`, {
      token: admin.token,
      body: { reason: 'Zephyrinette requested this by letter.', email },
    });
  expect(await erase(admin.email)).toMatchObject({ status: 409, body: { code: 'OTHER_EMAIL' } });
  const byAdmin = await erase(` ${reviewer.email.toUpperCase()} `);
  expect(byAdmin.status).toBe(202);
  // The session ends immediately, even though the erasure is not complete yet.
  expect((await api.call('GET', '/api/auth/profile', { token: erased.token })).status).toBe(401);
  const receiptOf = (response: typeof own) => (response.body['data'] as { receiptId: string }).receiptId;
  await waitForCompletion(receiptOf(own));
  await waitForCompletion(receiptOf(byAdmin));
  expect(
    (await api.call('GET', `/api/admin/users/${erased.user.id}/person`, { token: admin.token })).body['data'],
  ).toMatchObject({ erasure: { status: 'complete' } });

  const words = allValues();
  expect(await findInTables(pool, words)).toEqual([]);
  expect(await findInFiles(product.dataDir, [...words, erased.user.id, reviewer.user.id])).toEqual([]);
  expect(await blobFiles(product.dataDir)).toEqual([]);
  expect(findInText('the events', await readDecryptedEvents(), words)).toEqual([]);
  expect(await statesOfJobs(erased.user.id)).toEqual([]);
  expect(await statesOfJobs(reviewer.user.id)).toEqual([]);
  expect(findInText('the page of the thread', await readPage(), words)).toEqual([]);
  const caseView = await request('GET', `/admin/moderation/cases/ad-${content.adId}`, people.mona.token);
  expect(caseView.body['data']).toMatchObject({
    decisions: [{ outcome: 'hidden', facts: '', appeal: { outcome: 'overturned', facts: '' } }],
  });
  expect(findInText('the case', JSON.stringify(caseView.body), words)).toEqual([]);
  expect(lines.length).toBeGreaterThan(20);
  expect(findInText('the log', lines.join(''), words)).toEqual([]);
});

test('a finished rebuild and the previous tables of a swap remain, without data of the erased accounts', async () => {
  expect((await findProjection('ad_cards'))?.rebuild?.state).toBe('ready');
  expect((await findProjection('accounts'))?.previous).not.toBeNull();
  const tables = ['rm.ad_cards__rebuild', 'rm.accounts__previous'];
  for (const table of tables) expect((await pool.query(`select from ${table} limit 1`)).rowCount).toBe(1);
  expect(await findInTables(pool, allValues())).toEqual([]);
  await request('POST', '/admin/projections/ad_cards/swap', people.admin.token);
  await eventually(async () => expect((await findProjection('ad_cards'))?.rebuild?.state).toBe('swapped'));
  await request('POST', '/admin/projections/accounts/revert', people.admin.token);
  await eventually(async () => expect((await findProjection('accounts'))?.rebuild?.state).toBe('reverted'));
  expect(await findInTables(pool, allValues())).toEqual([]);
});

test('the index from accounts to streams no longer contains the erased accounts', async () => {
  const { erased, reviewer, member } = people;
  const ids = [erased.user.id, reviewer.user.id, member.user.id];
  await eventually(async () => {
    const { rows } = await pool.query('select distinct account_id from rm.account_streams where account_id = any($1)', [
      ids,
    ]);
    expect(rows).toEqual([{ account_id: member.user.id }]);
  });
});

test('an erasure does not affect ads, ratings, replies and sessions of others', async () => {
  const { other, member } = people;
  const ad = (await api.call('GET', `/api/ads/${content.otherAdId}`)).body['data'];
  expect(ad).toMatchObject({ title: `${OTHERS} company`, reviews: [{ rating: 5, name: '', comment: '' }] });
  const thread = JSON.stringify((await api.call('GET', `/api/community/threads/${content.threadId}`)).body);
  expect(thread).toContain(`${OTHERS} indeed.`);
  expect((await api.call('GET', '/api/auth/profile', { token: other.token })).status).toBe(200);
  expect((await api.call('GET', '/api/auth/profile', { token: member.token })).status).toBe(200);
  expect((await api.call('GET', `/api/ads/${content.adId}`)).status).toBe(404);
  // The erasure deletes the stored response but not the idempotency key, so the product still recognizes a repeated
  // request.
  expect(
    await api.call('PUT', `/api/ads/${content.otherAdId}`, {
      token: other.token,
      body: { price: '400' },
      headers: { 'idempotency-key': 'four' },
    }),
  ).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_ANSWER_GONE' } });
});

test('read models after an erasure are equal to rebuilt ones, which restore no data', async () => {
  await waitForReadModels(product.url);
  const purged = await dumpReadModels();
  const { dataKeys } = await loadSecrets(product.dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  for (const projection of PROJECTIONS) await rebuildProjection(projection, { store, pool });
  await store.close();
  expect(await dumpReadModels()).toEqual(purged);
  expect(await findInTables(pool, allValues())).toEqual([]);
});

test('the address of an erased account can sign up again as a new account', async () => {
  const again = await api.signUp('provider', { email: provider.email, displayName: 'Newcomer' });
  expect(again.user.id).toBe(people.erased.user.id);
  expect((await api.call('GET', '/api/auth/profile', { token: again.token })).body['user']).toMatchObject({
    displayName: 'Newcomer',
    email: provider.email,
    verified: false,
  });
  const ad = await api.postAd(again.token, { title: 'A beginning' });
  expect((await api.call('GET', `/api/ads/${ad.id}`, { headers: after(ad.position) })).body['data']).toMatchObject({
    title: 'A beginning',
  });
  // The data of the new account can be erased too.
  const receipt = await api.call('POST', '/api/account/erasure', { token: again.token, body: { password: PASSWORD } });
  await waitForCompletion((receipt.body['data'] as { receiptId: string }).receiptId);
  expect(await findInTables(pool, ['quixana', 'Newcomer'])).toEqual([]);
});

test('the tests cover every field of the documented responses', () => expect(shown.missing()).toEqual([]));
