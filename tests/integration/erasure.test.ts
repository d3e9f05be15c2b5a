import { randomUUID } from 'node:crypto';
import { START, thread, type ParkedEventView, type ProjectionView, type StatementView } from '@alpenglow/domain';
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
import { apiClient, PASSWORD, type ApiClient, type Person } from '../support/api.ts';
import { foundIn, foundInFiles, foundInTables } from '../support/clear-text.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';
import { watchShown } from '../support/shown-elsewhere.ts';
import { blobFiles, upload } from '../support/uploads.ts';

/**
 * The promise of an erasure: two people live a rich life among others and are erased, one at their own wish, one by an admin; then nothing they ever said is
 * found in any table, file, event or line of the log, nor after every read model was built again.
 */

/** Single words, so that an index of words is searched, too. */
const provider = { email: 'quixana.private@erased.example', displayName: 'Xylophona' };
const client = { email: 'zephyrine.private@erased.example', displayName: 'Zephyrinette' };
/** Each with a place where it lies in clear until then; what is sealed everywhere can be read in the events, with the key. */
const LIES_IN: Readonly<Record<string, string>> = {
  // Of the provider: the account, the ad, the thread.
  quixana: 'rm.accounts',
  Yolandissima: 'rm.accounts',
  Xylophona: 'rm.ad_cards',
  Wunderkammer: 'rm.ad_cards',
  Marmaladen: 'rm.ad_details',
  Poplarious: 'rm.ad_details',
  '702 555 8675': 'rm.ad_details',
  Umbrellana: 'rm.ad_details',
  Quincunxes: 'rm.community_threads',
  Rhododendra: 'rm.community_posts',
  Sassafrasia: 'rm.community_posts',
  Tamarindo: 'rm.community_posts',
  // What they reported, what was reported of them by nobody they know, what was decided, why, and what they said to it.
  Eucalyptine: 'rm.reports',
  Gardeniaflor: 'rm.reports',
  Heliotropical: 'rm.decisions',
  Jacarandally: 'rm.decisions',
  Quillworthy: 'rm.decisions',
  Zinniaform: 'rm.community_posts',
  // Of what an admin left out of a read model, and why; reasons of admins.
  Skippedonia: 'events',
  Ylangylang: 'events',
  Kaleidoscopia: 'events',
  Verbenatus: 'events',
  // Of the client.
  zephyrine: 'rm.accounts',
  Nasturtiumed: 'rm.accounts',
  Zephyrinette: 'events',
  Impostoria: 'events',
  Kumquatted: 'rm.ad_details',
  Lavenderly: 'rm.reports',
};
const WORDS = Object.keys(LIES_IN);
/** Whatever else is found before, is there: nothing but these can be purged. */
const CAN_BE_PURGED = /^(?:rm|mail|requests)\./u;
const OTHERS = 'Dandelionesque';

const shown = watchShown('erasure.test.ts');
const lines: string[] = [];
let product: TestProduct;
let api: ApiClient;
let pool: Pool;
let recording: Recording;
let people: Readonly<Record<'erased' | 'reviewer' | 'other' | 'member' | 'admin' | 'mona' | 'max', Person>>;
let lives: {
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
  lives = await live();
});
afterAll(async () => {
  shown.stop();
  vi.unstubAllEnvs();
  await recording.close();
  await pool.end();
  await product.stop();
});

async function done(
  method: string,
  route: string,
  token: string | undefined,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await api.call(method, `/api${route}`, {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
    headers,
  });
  if (answer.status >= 300)
    throw new Error(`${method} ${route} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  const position = answer.headers.get('x-position');
  if (position !== null)
    await api.call('GET', '/api/community/threads?limit=1', { headers: { 'x-wait-position': position } });
  return answer;
}

/** What the two do, and what others do about it. */
async function live(): Promise<typeof lives> {
  const { erased, reviewer, other, member, admin } = people;
  const photos = await upload(product.url, 'photos', [{ bytes: await pictures.withGps() }], erased.token);
  const [photo = ''] = photos.body['urls'] as readonly string[];
  const ad = await api.postAd(erased.token, {
    name: 'Xylophona',
    title: 'A Wunderkammer',
    description: 'Marmaladen for two.',
    phone: '+1 702 555 8675',
    socialMedia: { website: 'https://umbrellana.example' },
    photos: [photo],
  });
  await done('PUT', `/ads/${ad.id}`, erased.token, { body: 'Poplarious as ever' });
  await done('PUT', '/auth/profile', erased.token, { displayName: 'Yolandissima' });
  const place = { state: 'NV', city: 'Las Vegas' };
  const started = await done(
    'POST',
    '/community/threads',
    erased.token,
    { ...place, title: 'The Quincunxes of home', body: 'Rhododendra *everywhere*.' },
    { 'idempotency-key': 'one' },
  );
  const { id: threadId, path: threadPath } = started.body['data'] as { id: string; path: string };
  await done('PUT', `/community/threads/${threadId}/follow`, member.token, { mail: 'instant' });
  await done('PUT', `/community/threads/${threadId}/follow`, erased.token, { mail: 'instant' });
  await done('POST', `/community/threads/${threadId}/replies`, member.token, {
    body: `${OTHERS} indeed.`,
    quotedNumber: 0,
  });
  await done('POST', `/community/threads/${threadId}/replies`, erased.token, { body: 'Sassafrasia, says nobody.' });
  await done('PUT', `/community/threads/${threadId}/posts/2`, erased.token, { body: 'Tamarindo, says everybody.' });
  await done('POST', `/community/threads/${threadId}/posts/2/helpful`, member.token, {});
  await checkIdentity();
  await done(
    'PUT',
    `/admin/users/${erased.user.id}/verify`,
    admin.token,
    { reason: 'Seen with Verbenatus in hand.' },
    { 'idempotency-key': 'two' },
  );

  const otherAd = await api.postAd(other.token, { title: `${OTHERS} company` });
  await done(
    'POST',
    `/ads/${otherAd.id}/reviews`,
    reviewer.token,
    { comment: 'Kumquatted, and kind.', rating: 5 },
    { 'idempotency-key': 'three' },
  );
  // Whoever answers this has the words of another in what is kept for them.
  await done('PUT', `/ads/${otherAd.id}`, other.token, { price: '400' }, { 'idempotency-key': 'four' });
  await done('POST', '/favorites', reviewer.token, { adId: ad.id });
  await done('POST', '/reports', reviewer.token, {
    subject: { kind: 'post', id: `${threadId}-1` },
    reason: 'spam',
    text: 'Lavenderly put.',
  });
  await done('POST', '/reports', erased.token, {
    subject: { kind: 'ad', id: otherAd.id },
    reason: 'other',
    text: 'Eucalyptine, if you ask me.',
  });
  await moderate(ad.id, threadId);
  await skipEvent(threadId);
  await done('POST', '/consents', erased.token, { kind: 'cookies', textVersion: 1, choice: 'all' });
  await setUpTwoStep();
  await done('POST', '/auth/signup', undefined, {
    email: client.email,
    password: 'another horse',
    userType: 'client',
    displayName: 'Impostoria',
    age: 40,
  });
  await done('POST', '/auth/forgot-password', undefined, { email: client.email });
  await done('PUT', '/auth/profile', reviewer.token, { displayName: 'Nasturtiumed' });
  await eventually(async () => {
    const { rows } = await pool.query<{ subject: string; to: string }>('select subject, "to" from mail.inbox');
    expect(rows.some(({ to }) => to === client.email)).toBe(true);
    expect(rows.some(({ subject }) => subject.includes('Quincunxes'))).toBe(true);
    expect(rows.some(({ subject }) => subject.includes('A decision about your content'))).toBe(true);
    expect(rows.some(({ subject }) => subject.includes('Your request'))).toBe(true);
    // The photo is made.
    expect((await blobFiles(product.dataDir)).length).toBeGreaterThan(3);
  });
  // A mail about it has just gone out: that of one more reply waits, as a job that names whom it is for.
  await done('POST', `/community/threads/${threadId}/replies`, member.token, { body: `${OTHERS}, once more.` });
  await eventually(async () => expect(await jobsNaming(erased.user.id)).toContain('delayed'));
  // What an admin builds beside the live tables, and what the last swap has put aside.
  await rebuild('accounts');
  await done('POST', '/admin/projections/accounts/swap', admin.token);
  await eventually(async () => expect((await projection('accounts'))?.rebuild?.state).toBe('swapped'));
  await rebuild('ad_cards');
  // An admin looks for them by a part of their address.
  await done('GET', '/admin/users?q=quixana', admin.token);
  return { threadId, threadPath, adId: ad.id, otherAdId: otherAd.id };
}

/** The provider is refused once and asks again: the second request is open. */
async function checkIdentity(): Promise<void> {
  const { erased, admin } = people;
  await handIn(1);
  await done('POST', `/admin/identity/${erased.user.id}/decide`, admin.token, {
    accept: false,
    reason: 'Kaleidoscopia cannot be read.',
  });
  await handIn(2);
}

async function handIn(pages: number): Promise<void> {
  const form = new FormData();
  for (let page = 1; page <= pages; page += 1)
    form.append(
      'files',
      new Blob([new Uint8Array(await pictures.withGps())], { type: 'image/jpeg' }),
      `passport-${page}.jpg`,
    );
  const answer = await fetch(`${product.url}/api/account/identity`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${people.erased.token}` },
  });
  expect(answer.status).toBe(201);
}

/** The ad is reported without a sign-in, hidden, and seen again on appeal; a post of the thread is hidden. */
async function moderate(adId: string, threadId: string): Promise<void> {
  const { erased, mona, max } = people;
  const caseUrl = `/admin/moderation/cases/ad-${adId}`;
  await done('POST', '/reports', undefined, {
    subject: { kind: 'ad', id: adId },
    reason: 'other',
    text: 'Gardeniaflor knows who that is.',
  });
  await done('POST', `${caseUrl}/claim`, mona.token, {});
  await done('POST', `${caseUrl}/decide`, mona.token, {
    outcome: 'hidden',
    rule: 'contact',
    facts: 'Heliotropical in the second line.',
  });
  const [statement] = (await done('GET', '/account/decisions', erased.token)).body['data'] as StatementView[];
  await done('POST', `/account/decisions/${statement?.id}/appeal`, erased.token, { text: 'Jacarandally untrue.' });
  await done('POST', `${caseUrl}/claim`, max.token, {});
  await done('POST', `${caseUrl}/appeal`, max.token, { outcome: 'overturned', facts: 'Quillworthy, after all.' });
  await done('POST', `/community/threads/${threadId}/replies`, erased.token, { body: 'This will be hidden.' });
  await done('PUT', `/admin/community/threads/${threadId}/posts/3/hidden`, mona.token, {
    hidden: true,
    reason: 'Zinniaform and unkind.',
  });
}

/** A reply that a fault has written, with a number that no table takes: it is set aside, and an admin leaves it out. */
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
  await recording.commands.handle(thread, threadId, () => [{ type: 'ReplyPosted', data: reply }], BY_TEST);
  const parked = '/admin/projections/community_posts/parked';
  const setAside = async () =>
    ((await done('GET', parked, admin.token)).body['data'] as readonly ParkedEventView[]).filter(
      ({ error }) => error !== null,
    );
  await eventually(async () => expect(await setAside()).toHaveLength(1));
  await done('POST', `${parked}/${(await setAside())[0]?.position}/skip`, admin.token, {
    reason: 'Ylangylang wrote that.',
  });
  await eventually(async () => expect((await pool.query('select from rm.parked_events')).rowCount).toBe(0));
}

async function setUpTwoStep(): Promise<void> {
  const { token } = people.erased;
  const { secret } = (await done('POST', '/auth/two-step/setup', token, { password: PASSWORD })).body['data'] as {
    secret: string;
  };
  const { recoveryCodes } = (await done('POST', '/auth/two-step/confirm', token, { code: generateSync({ secret }) }))
    .body['data'] as { recoveryCodes: string[] };
  twoStep = {
    secret,
    recoveryCodes,
    hashes: recoveryCodes.map((code) => twoStepCodes.recoveryCodeHash(people.erased.user.id, code)),
  };
}

const projection = async (name: string) =>
  ((await done('GET', '/admin/projections', people.admin.token)).body['data'] as readonly ProjectionView[]).find(
    (one) => one.name === name,
  );
async function rebuild(name: string): Promise<void> {
  await done('POST', `/admin/projections/${name}/rebuild`, people.admin.token);
  await eventually(async () => expect((await projection(name))?.rebuild?.state).toBe('ready'));
}

/** The states of jobs that name an account. */
async function jobsNaming(accountId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ state: string }>('select state::text from bullmq.job j where j::text like $1', [
    `%${accountId}%`,
  ]);
  return rows.map(({ state }) => state);
}

/** Every row of every read model, as text. */
async function readModels(): Promise<Readonly<Record<string, string>>> {
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

async function openedEvents(): Promise<string> {
  const { dataKeys } = await loadSecrets(product.dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  const events = await store.readAll({ after: START, limit: 10_000 });
  await store.close();
  return JSON.stringify(events);
}

/** All that must not be found any more, what was made on the way included. */
const allValues = () => [...WORDS, twoStep.secret, ...twoStep.recoveryCodes, ...twoStep.hashes];

/** The first HTML of the thread's page. */
const page = async () => (await fetch(`${product.url}${lives.threadPath}`)).text();

const complete = (receiptId: string) =>
  eventually(
    async () =>
      expect((await api.call('GET', `/api/account/erasure/${receiptId}`)).body['data']).toMatchObject({
        status: 'complete',
      }),
    { interval_ms: 250 },
  );

test('before, every value is found where it lies in clear, and in no place that nothing can be taken from', async () => {
  const { erased } = people;
  const secrets = [twoStep.secret, ...twoStep.hashes];
  const found = await foundInTables(pool, allValues());
  const everywhere = [...found, ...foundIn('events', await openedEvents(), allValues())];
  for (const [word, place] of [...Object.entries(LIES_IN), ...secrets.map((secret) => [secret, 'events'] as const)])
    expect(everywhere).toContain(`${place}: ${word}`);
  const others = [
    'rm.ad_words: Wunderkammer',
    'rm.accounts__previous: quixana',
    'rm.ad_cards__rebuild: Wunderkammer',
    'mail.inbox: quixana',
    'mail.inbox: zephyrine',
    'mail.inbox: Quincunxes',
    'requests.answers: quixana',
  ];
  expect(everywhere).toEqual(expect.arrayContaining(others));
  // The events, the log of moderation, jobs and sessions have none of it in clear, no table has a secret, and recovery codes are kept nowhere at all.
  expect(found.filter((one) => !CAN_BE_PURGED.test(one) || secrets.some((secret) => one.includes(secret)))).toEqual([]);
  expect(everywhere.filter((one) => twoStep.recoveryCodes.some((code) => one.includes(code)))).toEqual([]);

  expect(await jobsNaming(erased.user.id)).toEqual(expect.arrayContaining(['delayed', 'completed']));
  expect(await page()).toContain('Quincunxes');
  // Photos, and what was shown of an identity: sealed, so that only the name of their key is found.
  expect((await blobFiles(product.dataDir)).filter((file) => file.includes('/photos/')).length).toBeGreaterThan(3);
  expect(
    (await foundInFiles(product.dataDir, [erased.user.id])).filter((one) => one.includes('/identity/')),
  ).toHaveLength(2);
  expect(foundIn('the log', lines.join(''), [lives.threadId])).toHaveLength(1);
});

test('is refused to whoever does not know the password, and while everything has to be kept', async () => {
  const { erased, admin } = people;
  expect(
    (await api.call('POST', '/api/account/erasure', { token: erased.token, body: { password: 'wrong horse' } })).body,
  ).toMatchObject({ code: 'WRONG_PASSWORD' });
  const hold = `/api/admin/users/${erased.user.id}/legal-hold`;
  expect(
    (await api.call('PUT', hold, { token: admin.token, body: { reason: 'A court asks for Verbenatus.' } })).status,
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
      body: { reason: 'Asked for.' },
    }),
  ).toMatchObject({ status: 409, body: { code: 'LEGAL_HOLD' } });
  expect((await api.call('DELETE', hold, { token: admin.token, body: { reason: 'It has decided.' } })).status).toBe(
    200,
  );
});

test('an admin does not erase themselves from the panel, nor somebody who never was', async () => {
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
    (await api.call('POST', '/api/admin/users/nobody/erasure', { token: admin.token, body: { reason: 'Enough.' } }))
      .body,
  ).toMatchObject({ code: 'USER_NOT_FOUND' });
  expect((await api.call('GET', '/api/account/erasure/0b7b5c1e-3f77-4c53-9a61-7f7f4f0c2b1d')).body).toMatchObject({
    code: 'ERASURE_NOT_FOUND',
  });
});

test('leaves nothing of two people in any table, file, event or line of the log', async () => {
  const { erased, reviewer, admin } = people;
  const own = await api.call('POST', '/api/account/erasure', { token: erased.token, body: { password: PASSWORD } });
  expect(own).toMatchObject({ status: 202, body: { data: { status: 'under_way', completedAt: null } } });
  const byAdmin = await api.call('POST', `/api/admin/users/${reviewer.user.id}/erasure`, {
    token: admin.token,
    body: { reason: 'Zephyrinette asked by letter.' },
  });
  expect(byAdmin.status).toBe(202);
  // At once, long before it is complete.
  expect((await api.call('GET', '/api/auth/profile', { token: erased.token })).status).toBe(401);
  const receiptOf = (answer: typeof own) => (answer.body['data'] as { receiptId: string }).receiptId;
  await complete(receiptOf(own));
  await complete(receiptOf(byAdmin));
  expect(
    (await api.call('GET', `/api/admin/users/${erased.user.id}/person`, { token: admin.token })).body['data'],
  ).toMatchObject({ erasure: { status: 'complete' } });

  const words = allValues();
  expect(await foundInTables(pool, words)).toEqual([]);
  expect(await foundInFiles(product.dataDir, [...words, erased.user.id, reviewer.user.id])).toEqual([]);
  expect(await blobFiles(product.dataDir)).toEqual([]);
  expect(foundIn('the events', await openedEvents(), words)).toEqual([]);
  expect(await jobsNaming(erased.user.id)).toEqual([]);
  expect(await jobsNaming(reviewer.user.id)).toEqual([]);
  expect(foundIn('the page of the thread', await page(), words)).toEqual([]);
  const caseView = await done('GET', `/admin/moderation/cases/ad-${lives.adId}`, people.mona.token);
  expect(caseView.body['data']).toMatchObject({
    decisions: [{ outcome: 'hidden', facts: '', appeal: { outcome: 'overturned', facts: '' } }],
  });
  expect(foundIn('the case', JSON.stringify(caseView.body), words)).toEqual([]);
  expect(lines.length).toBeGreaterThan(20);
  expect(foundIn('the log', lines.join(''), words)).toEqual([]);
});

test('begins a rebuild that was under way again, and leaves no way back to what was before', async () => {
  await eventually(async () => expect((await projection('ad_cards'))?.rebuild?.state).toBe('ready'));
  expect(await foundInTables(pool, WORDS)).toEqual([]);
  expect((await projection('accounts'))?.previous).toBeNull();
  await done('POST', '/admin/projections/ad_cards/cancel', people.admin.token);
  await eventually(async () => expect((await projection('ad_cards'))?.rebuild?.state).toBe('cancelled'));
});

test('leaves what others have: their ad with the stars it got, their replies, their session', async () => {
  const { other, member } = people;
  const ad = (await api.call('GET', `/api/ads/${lives.otherAdId}`)).body['data'];
  expect(ad).toMatchObject({ title: `${OTHERS} company`, reviews: [{ rating: 5, name: '', comment: '' }] });
  const thread = JSON.stringify((await api.call('GET', `/api/community/threads/${lives.threadId}`)).body);
  expect(thread).toContain(`${OTHERS} indeed.`);
  expect((await api.call('GET', '/api/auth/profile', { token: other.token })).status).toBe(200);
  expect((await api.call('GET', '/api/auth/profile', { token: member.token })).status).toBe(200);
  expect((await api.call('GET', `/api/ads/${lives.adId}`)).status).toBe(404);
  // What was done under a key is still not done again.
  expect(
    await api.call('PUT', `/api/ads/${lives.otherAdId}`, {
      token: other.token,
      body: { price: '400' },
      headers: { 'idempotency-key': 'four' },
    }),
  ).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_ANSWER_GONE' } });
});

test('has every read model as a rebuild makes it, which brings nothing back', async () => {
  const purged = await readModels();
  const { dataKeys } = await loadSecrets(product.dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  for (const projection of PROJECTIONS) await rebuildProjection(projection, { store, pool });
  await store.close();
  expect(await readModels()).toEqual(purged);
  expect(await foundInTables(pool, allValues())).toEqual([]);
});

test('lets the address sign up again, as somebody new', async () => {
  const again = await api.signUp('provider', { email: provider.email, displayName: 'Newcomer' });
  expect(again.user.id).toBe(people.erased.user.id);
  expect((await api.call('GET', '/api/auth/profile', { token: again.token })).body['user']).toMatchObject({
    displayName: 'Newcomer',
    email: provider.email,
    verified: false,
  });
  const ad = await api.postAd(again.token, { title: 'A beginning' });
  expect(
    (await api.call('GET', `/api/ads/${ad.id}`, { headers: { 'x-wait-position': ad.position } })).body['data'],
  ).toMatchObject({ title: 'A beginning' });
  // What they say now can be erased, too.
  const receipt = await api.call('POST', '/api/account/erasure', { token: again.token, body: { password: PASSWORD } });
  await complete((receipt.body['data'] as { receiptId: string }).receiptId);
  expect(await foundInTables(pool, ['quixana', 'Newcomer'])).toEqual([]);
});

test('everything these answers may say was said', () => expect(shown.missing()).toEqual([]));
