import { beforeAll, expect, test } from 'vitest';
import { after, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { readExport } from '../support/export-archive.ts';
import { pictures } from '../support/pictures.ts';
import { upload } from '../support/uploads.ts';
import { webm } from '../support/videos.ts';
import { createTestPool } from '../support/database.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

// Tests the export of personal data and the log of reads by staff.

const product = testProduct();
const api = testApi(product);
let admin: Person;
let anna: Person;
let ben: Person;

beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
  anna = await api.signUp('provider', { email: 'anna@example.com', displayName: 'Anna Secret' });
  ben = await api.signUp('client', { email: 'ben@example.com', displayName: 'Ben Other' });
  const photo = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(300, 200) }], anna.token);
  const [url] = photo.body['urls'] as string[];
  // The status 201 means that a worker has created the variants of the photo.
  expect(photo.status).toBe(201);
  const { id } = await api.postAd(anna.token, { title: 'A calm evening', phone: '+17755550199', photos: [url] });
  await api.call('POST', `/api/ads/${id}/reviews`, {
    token: ben.token,
    body: { comment: 'Kind and calm, says Ben.', rating: 5 },
  });
  await api.call('POST', '/api/favorites', { token: ben.token, body: { adId: id } });
  await api.call('POST', '/api/reports', {
    token: ben.token,
    body: { subject: { kind: 'ad', id }, reason: 'other', text: 'Only a question, says Ben.' },
  });
  await api.call('POST', '/api/reports', {
    body: { subject: { kind: 'ad', id }, reason: 'other', text: 'Whispered anonymously.' },
  });
  await api.call('POST', '/api/consents', {
    token: ben.token,
    body: { kind: 'cookies', textVersion: 1, choice: 'all' },
  });
});

const downloadExport = (path: string, token: string) => readExport(`${product.url}${path}`, token);
const textOf = (files: ReadonlyMap<string, Buffer>) =>
  [...files]
    .filter(([name]) => name.endsWith('.json'))
    .map(([, bytes]) => bytes.toString('utf8'))
    .join('\n');
const eventTypesIn = (files: ReadonlyMap<string, Buffer>) =>
  (JSON.parse(files.get('events.json')?.toString('utf8') ?? '[]') as { type: string }[]).map(({ type }) => type);

test('exports account, ad, photo and reviews of a provider, without texts of others and secrets', async () => {
  const files = await downloadExport('/api/account/export', anna.token);
  expect(JSON.parse(files.get('account.json')?.toString('utf8') ?? '{}')).toMatchObject({
    email: 'anna@example.com',
    displayName: 'Anna Secret',
  });
  expect(eventTypesIn(files)).toEqual(
    expect.arrayContaining(['AccountRegistered', 'EmailVerified', 'AdPosted', 'AdReviewed']),
  );
  expect(textOf(files)).toContain('+17755550199');
  expect(textOf(files)).not.toMatch(/argon2|ben@example\.com|Only a question|Whispered/u);
  expect([...files.keys()].filter((name) => name.startsWith('media/'))).toHaveLength(1);
  const [photo] = [...files].filter(([name]) => name.endsWith('.jpg')).map(([, bytes]) => bytes);
  expect(photo?.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
});

test('exports favorites, reviews, reports and consents of a client, without data of the provider', async () => {
  const files = await downloadExport('/api/account/export', ben.token);
  expect(eventTypesIn(files)).toEqual(
    expect.arrayContaining(['AccountRegistered', 'AdFavorited', 'AdReviewed', 'ReportFiled', 'ConsentRecorded']),
  );
  expect(textOf(files)).toMatch(/Kind and calm, says Ben/u);
  expect(textOf(files)).toMatch(/Only a question, says Ben/u);
  expect(textOf(files)).not.toMatch(/Anna Secret|555 0199|anna@example\.com/u);
});

test('exports neither ids of other people nor reviews that their author deleted or a moderator removed', async () => {
  const owner = await api.signUp('provider');
  const authors = await Promise.all(['Visible', 'Deleted', 'Removed'].map(() => api.signUp('client')));
  const [author, deleter, removed] = authors as [Person, Person, Person];
  const { id } = await api.postAd(owner.token);
  const path = `/api/ads/${id}/reviews`;
  const review = async ({ token }: Person, comment: string) => {
    const { status, body } = await api.call('POST', path, { token, body: { comment, rating: 4 } });
    expect(status).toBe(201);
    return (body['data'] as { id: string }).id;
  };
  const shownId = await review(author, 'A first wording.');
  const edited = await api.call('PUT', `${path}/${shownId}`, {
    token: author.token,
    body: { comment: 'A second wording.', rating: 5 },
  });
  const deletedId = await review(deleter, 'A regretted wording.');
  const gone = await api.call('DELETE', `${path}/${deletedId}`, { token: deleter.token });
  const removedId = await review(removed, 'An insulting wording.');
  const taken = await api.call('DELETE', `/api/admin/moderation/ads/${id}/reviews/${removedId}`, {
    token: admin.token,
    body: { reason: 'It calls the owner a liar.' },
  });
  await api.call('POST', '/api/reports', {
    token: author.token,
    body: { subject: { kind: 'account', id }, reason: 'spam' },
  });
  await api.call('POST', '/api/reports', {
    token: author.token,
    body: { subject: { kind: 'ad', id }, reason: 'spam' },
  });
  const caseUrl = `/api/admin/moderation/cases/ad-${id}`;
  const claimed = await api.call('POST', `${caseUrl}/claim`, { token: admin.token, body: {} });
  const decided = await api.call('POST', `${caseUrl}/decide`, {
    token: admin.token,
    body: { outcome: 'hidden', rule: 'other', facts: 'A decision with a statement.' },
  });
  expect([edited, gone, taken, claimed, decided].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);

  const people = { owner, author, deleter, removed };
  const texts: Record<string, string> = {};
  for (const [name, person] of Object.entries(people)) {
    const text = textOf(await downloadExport('/api/account/export', person.token));
    texts[name] = text;
    const others = [...Object.values(people), admin].filter((other) => other !== person);
    for (const other of others) expect(text).not.toContain(other.user.id);
    expect(text).toContain(person.user.id);
  }
  expect(texts['owner']).toContain('A second wording.');
  expect(texts['owner']).toContain('A decision with a statement.');
  expect(texts['owner']).not.toMatch(/first wording|regretted|insulting|liar/u);
  // The authors read their own texts, because the site still stores them.
  expect(texts['author']).toMatch(/A first wording[^]*A second wording/u);
  expect(texts['author']).toContain('ReportFiled');
  expect(texts['deleter']).toContain('A regretted wording.');
  expect(texts['removed']).toMatch(/An insulting wording[^]*It calls the owner a liar/u);
});

test('records an export by an admin in the log of reads and in the export of the person', async () => {
  const files = await downloadExport(`/api/admin/users/${anna.user.id}/export`, admin.token);
  expect(textOf(files)).toContain('Anna Secret');
  const { body } = await api.call('GET', `/api/admin/staff-reads?subject=${anna.user.id}&staff=${admin.user.id}`, {
    token: admin.token,
  });
  expect(body['data']).toContainEqual(
    expect.objectContaining({ staffId: admin.user.id, what: 'exportDataOf', subjectId: anna.user.id, people: 1 }),
  );
  const own = await downloadExport('/api/account/export', anna.token);
  expect(own.get('staff-reads.json')?.toString('utf8')).toContain('exportDataOf');
  expect(own.get('staff-reads.json')?.toString('utf8')).not.toContain(admin.user.id);
});

test('lists every read of an ad for its owner, even if the log contains only the ad', async () => {
  const eva = await api.signUp('provider');
  const { id, position } = await api.postAd(eva.token);
  for (const path of ['', '/history', '/history?format=csv'])
    await api.call('GET', `/api/admin/ads/${id}${path}`, {
      token: admin.token,
      headers: after(position),
    });
  const pool = createTestPool(product.databaseUrl, 1);
  await pool.query(
    `insert into audit.staff_reads (id, staff_id, what, subject_id, people, request_id)
     values ('0', $1, 'formerReadOperation', $2, 1, 'r')`,
    [admin.user.id, id],
  );
  await pool.end();
  const reads = JSON.parse(
    (await downloadExport('/api/account/export', eva.token)).get('staff-reads.json')?.toString('utf8') ?? '[]',
  ) as { what: string }[];
  expect(reads.map(({ what }) => what)).toEqual(['listAdHistory', 'listAdHistory', 'getAdAsOf', 'formerReadOperation']);
});

test('pages the log of reads, newest first', async () => {
  for (let read = 0; read < 3; read += 1) await downloadExport(`/api/admin/users/${ben.user.id}/export`, admin.token);
  const first = await api.call('GET', `/api/admin/staff-reads?subject=${ben.user.id}&limit=2`, { token: admin.token });
  const second = await api.call(
    'GET',
    `/api/admin/staff-reads?subject=${ben.user.id}&limit=2&cursor=${String(first.body['nextCursor'])}`,
    { token: admin.token },
  );
  const ids = [...(first.body['data'] as { id: string }[]), ...(second.body['data'] as { id: string }[])].map(
    ({ id }) => id,
  );
  expect(ids).toHaveLength(3);
  expect(ids).toEqual([...ids].sort().reverse());
  expect(second.body['nextCursor']).toBeNull();
});

test('exports no old data after a closed account signs up again', async () => {
  const eve = await api.signUp('client', { email: 'eve@example.com', displayName: 'Eve Before' });
  await api.call('DELETE', `/api/admin/users/${eve.user.id}`, { token: admin.token, body: { reason: 'As asked.' } });
  const again = await api.signUp('client', { email: 'eve@example.com', displayName: 'Eve After' });
  expect(again.user.id).toBe(eve.user.id);
  const files = await downloadExport('/api/account/export', again.token);
  expect(textOf(files)).toContain('Eve After');
  expect(textOf(files)).not.toContain('Eve Before');
});

test('exports the stored data of a closed account for an admin until its erasure', async () => {
  const dora = await api.signUp('provider', { email: 'dora@example.com', displayName: 'Dora Held' });
  await api.postAd(dora.token, { title: 'A past evening' });
  const userPath = `/api/admin/users/${dora.user.id}`;
  await api.call('DELETE', userPath, { token: admin.token, body: { reason: 'On request.' } });
  const files = await downloadExport(`${userPath}/export`, admin.token);
  expect(JSON.parse(files.get('account.json')?.toString('utf8') ?? '{}')).toMatchObject({
    email: 'dora@example.com',
    displayName: 'Dora Held',
    closedAt: expect.any(String) as string,
  });
  expect(eventTypesIn(files)).toEqual(expect.arrayContaining(['AccountRegistered', 'AdPosted', 'AccountClosed']));
  expect(textOf(files)).toContain('A past evening');
  expect(textOf(files)).not.toContain('argon2');

  const requested = await api.call('POST', `${userPath}/erasure`, {
    token: admin.token,
    body: { reason: 'Requested by letter.' },
  });
  const { receiptId } = requested.body['data'] as { receiptId: string };
  await eventually(
    async () =>
      expect((await api.call('GET', `/api/account/erasure/${receiptId}`)).body['data']).toMatchObject({
        status: 'complete',
      }),
    { interval_ms: 250 },
  );
  expect(await api.call('GET', `${userPath}/export`, { token: admin.token })).toMatchObject({
    status: 404,
    body: { code: 'USER_NOT_FOUND' },
  });
});

test('records the consent of a visitor without an account and rejects invalid consents', async () => {
  const visitorId = '5f0c1b9e-2f7c-4f1a-9a53-1f8d0f0c7e21';
  expect(
    (
      await api.call('POST', '/api/consents', {
        body: { kind: 'age_gate', textVersion: 1, choice: 'accepted', visitorId },
      })
    ).status,
  ).toBe(200);
  expect(
    (await api.call('POST', '/api/consents', { body: { kind: 'age_gate', textVersion: 1, choice: 'all', visitorId } }))
      .status,
  ).toBe(400);
  expect(
    (
      await api.call('POST', '/api/consents', {
        body: { kind: 'age_gate', textVersion: 1, choice: 'accepted', visitorId: anna.user.id },
      })
    ).status,
  ).toBe(400);
});

test('contains a photo that was just uploaded, even if the read models lag', async () => {
  const nora = await api.signUp('provider');
  const pool = createTestPool(product.databaseUrl, 1);
  const client = await pool.connect();
  // The lock stops the projection, because each batch of events moves its checkpoint.
  await client.query('set idle_in_transaction_session_timeout = 0');
  await client.query('begin');
  let exporting: ReturnType<typeof downloadExport>;
  try {
    await client.query(`select from rm.checkpoints where name like 'media_items%' for update`);
    const uploaded = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(300, 200) }], nora.token);
    expect(uploaded.status).toBe(201);
    exporting = downloadExport('/api/account/export', nora.token);
    // An export that does not wait ends during these requests.
    for (let request = 0; request < 20; request += 1) await api.call('GET', '/api/account/export');
  } finally {
    await client.query('commit');
    client.release();
    await pool.end();
  }
  expect([...(await exporting).keys()].filter((name) => name.startsWith('media/'))).toHaveLength(1);
});

test('names a WebM video by its type', async () => {
  const wilma = await api.signUp('provider', { email: 'wilma@example.com', displayName: 'Wilma' });
  const bytes = await webm();
  const uploaded = await upload(product.url, 'video', [{ bytes, type: 'video/webm' }], wilma.token);
  expect(uploaded.status).toBe(201);
  const { id } = uploaded.body['media'] as { id: string };
  const files = await downloadExport('/api/account/export', wilma.token);
  expect([...files.keys()].filter((name) => name.startsWith('media/'))).toEqual([`media/${id}.webm`]);
});
