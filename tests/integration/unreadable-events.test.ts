import { randomBytes, randomUUID } from 'node:crypto';
import {
  findEventDefinition,
  START_POSITION,
  toStreamId,
  type ParkedEventView,
  type StreamId,
} from '@alpenglow/domain';
import {
  createDataKeys,
  createKeyWrapping,
  createPostgresEventStore,
  loadSecrets,
  withPersonalData,
} from '@alpenglow/infra';
import { PROJECTIONS } from '@alpenglow/projectors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SAMPLES } from '../../projectors/test/samples.ts';
import { after, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive } from '../support/live.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { testApi, testPool, testProduct } from '../support/fixtures.ts';

/** Events whose personal data cannot be decrypted (decision 0073). */

const RULE = {
  title: 'Money in advance',
  category: null,
  youngerThanDays: null,
  minReports: null,
  rule: 'spam',
  facts: 'The ad requires money before a meeting.',
};

const product = testProduct();
const api = testApi(product);
const pool = testPool(product);
let secrets: string;
let store: ReturnType<typeof createPostgresEventStore>;
let admin: Person;

beforeAll(async () => {
  secrets = (await loadSecrets(product.dataDir)).dataKeys;
  store = createPostgresEventStore({ pool, connectionString: product.databaseUrl });
  admin = await api.signUp('client', { email: 'admin@example.com' });
});
afterAll(async () => {
  await store.close();
});

const meta = () => ({ ...TEST_ORIGIN, causationId: null, at: new Date().toISOString() });
const readHead = async () => (await store.readHead()) || START_POSITION;
const findParked = async (stream: string) =>
  (
    await pool.query<{ projection: string; type: string; error: string | null }>(
      'select projection, event_type as type, error from rm.parked_events where stream = $1 order by 1, 2',
      [stream],
    )
  ).rows;

const findHiddenAds = async () =>
  (await store.readAll({ after: START_POSITION, types: ['AdHidden'] })).map(
    ({ data }) => (data as { adId: string }).adId,
  );

/** Waits until every projection has handled the whole event log. */
async function waitForProjections(): Promise<void> {
  const head = await readHead();
  await eventually(async () => {
    const { rows } = await pool.query<{ name: string }>(
      'select name from rm.checkpoints where name = any($1) and position < $2',
      [PROJECTIONS.map(({ name }) => name), head],
    );
    expect(rows).toEqual([]);
  });
}

test('events of every type that cannot be decrypted stop no consumer and are parked', async () => {
  const damaged = Object.values(SAMPLES).flatMap(({ type, data }) => {
    const definition = findEventDefinition(type);
    const subject = definition?.getSubjectId(data) ?? null;
    const personalFields = Object.keys(definition?.personalFields ?? {});
    if (!definition || subject === null || personalFields.length === 0) return [];
    const readable = Object.entries(data).filter(([name]) => !personalFields.includes(name));
    const $sealed = { subject: `${subject}~404`, box: 'AAAA' };
    return [{ type, version: definition.version, data: { ...Object.fromEntries(readable), $sealed } }];
  });
  const body = { ...RULE, phrases: ['wire transfer'] };
  const rule = await api.call('POST', '/api/admin/rules', { token: admin.token, body });
  const ruleId = (rule.body['data'] as { id: string }).id;
  const on = await api.call('POST', `/api/admin/rules/${ruleId}/on`, { token: admin.token });
  await api.call('GET', '/api/admin/rules', {
    token: admin.token,
    headers: after(on),
  });
  const stream = toStreamId({ name: 'samples' }, randomUUID());
  await store.append(
    stream,
    damaged.map((event) => ({ ...event, id: randomUUID(), meta: meta() })),
    { expectedRevision: 'any' },
  );

  const live = await connectLive(product.url);
  const owner = await api.signUp('provider');
  const { id, position } = await api.postAd(owner.token);
  expect(await api.call('GET', `/api/ads/${id}`, { headers: after(position) })).toMatchObject({
    status: 200,
  });
  await live.next((message) => adIdOf(message) === id);
  live.close();
  const { id: hiddenId } = await api.postAd((await api.signUp('provider')).token, {
    description: 'Wire transfer first.',
  });
  await eventually(async () =>
    expect(await findHiddenAds(), 'the hiding rules are applied to later ads').toContain(hiddenId),
  );
  await waitForProjections();
  await eventually(async () =>
    expect((await findParked(stream)).map(({ projection }) => projection)).toEqual(
      expect.arrayContaining(['reactor-account-mails', 'reactor-hiding-rules']),
    ),
  );

  const parked = await findParked(stream);
  const types = new Set(damaged.map(({ type }) => type));
  for (const { name, on } of PROJECTIONS) {
    const expected = Object.keys(on).filter((type) => types.has(type as never));
    const found = parked.filter(({ projection }) => projection === name);
    expect(found.map(({ type }) => type).sort(), name).toEqual(expected.sort());
    if (found.length > 0)
      expect(found.some(({ error }) => error?.includes('restore its row in auth.data_keys'))).toBe(true);
  }
});

test('an unreadable stream accepts no commands, admins read the reason, and the restored key repairs it', async () => {
  const owner = await api.signUp('provider');
  const accountId = owner.user.id;
  const keys = createDataKeys(pool, secrets);
  const lost = { id: `${accountId}~777`, key: randomBytes(32) };
  const { id } = await api.postAd(owner.token, { title: 'Quixotic evening' });
  const listing = toStreamId({ name: 'listing' }, accountId);
  const sealing = withPersonalData(store, { obtain: () => Promise.resolve(lost), find: (ids) => keys.find(ids) });
  const [posted] = await sealing.readStream(listing);
  const eventId = randomUUID();
  const data = { accountId, adId: id, body: 'Zephyr and marmalade.' };
  await sealing.append(listing, [{ id: eventId, type: 'AdUpdated', version: 1, data, meta: meta() }], {
    expectedRevision: posted?.revision ?? 0,
  });
  await waitForProjections();

  const rejected = await api.call('PUT', `/api/ads/${id}`, { token: owner.token, body: { body: 'Tall as a poplar' } });
  expect(rejected).toMatchObject({ status: 500, body: { code: 'DATA_UNREADABLE' } });
  expect(rejected.body['error']).toMatch(/cannot be read/u);
  expect((await store.readStream(listing)).length).toBe(2);

  const history = await api.call('GET', `/api/admin/ads/${id}/history`, { token: admin.token });
  expect(history.status).toBe(200);
  expect(
    (history.body['data'] as { id: string; details: unknown }[]).find((entry) => entry.id === eventId),
  ).toMatchObject({
    type: 'AdUpdated',
    details: [{ name: 'unreadable', value: expect.stringContaining(lost.id) }],
  });
  const listed = await api.call('GET', '/api/admin/projections/ad_cards/parked?limit=100', { token: admin.token });
  const parked = (listed.body['data'] as readonly ParkedEventView[]).find(({ stream }) => stream === listing);
  expect(parked?.error).toContain(`the key ${lost.id} is missing or damaged`);
  expect(JSON.stringify(listed.body)).not.toContain('marmalade');
  const trial = await api.call('POST', '/api/admin/rules/try', { token: admin.token, body: { phrases: ['quixotic'] } });
  expect(trial).toMatchObject({ status: 200 });
  const exported = await fetch(`${product.url}/api/account/export`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect(exported.status).toBe(200);
  expect((await exported.arrayBuffer()).byteLength).toBeGreaterThan(0);

  const wrapping = createKeyWrapping(secrets);
  await pool.query('insert into auth.data_keys (account_id, wrapped_key, secret_id) values ($1, $2, $3)', [
    lost.id,
    wrapping.wrap(lost.id, lost.key),
    wrapping.currentId,
  ]);
  for (const { projection } of (await findParked(listing)).filter(
    ({ projection: name }) => !name.startsWith('reactor-'),
  ))
    expect(
      await api.call('POST', `/api/admin/projections/${projection}/parked/${parked?.position}/retry`, {
        token: admin.token,
      }),
    ).toMatchObject({ status: 202 });
  await eventually(async () =>
    expect((await findParked(listing)).filter(({ projection }) => !projection.startsWith('reactor-'))).toEqual([]),
  );
  // The request of the admin also concerns the reactions to the stream.
  await eventually(async () => expect(await findParked(listing)).toEqual([]));
  const ad = await api.call('GET', `/api/ads/${id}`);
  expect(ad.body['data']).toMatchObject({ body: 'Zephyr and marmalade.' });
  expect(
    await api.call('PUT', `/api/ads/${id}`, { token: owner.token, body: { body: 'Tall as a poplar' } }),
  ).toMatchObject({ status: 200 });
});

/** Appends an event that is encrypted with a key of the account that is not stored. */
async function appendWithLostKey(accountId: string, stream: StreamId, type: string, data: object): Promise<void> {
  const lost = { id: `${accountId}~777`, key: randomBytes(32) };
  const sealing = withPersonalData(store, { obtain: async () => lost, find: async () => new Map() });
  await sealing.append(stream, [{ id: randomUUID(), type, version: 1, data: { accountId, ...data }, meta: meta() }], {
    expectedRevision: 'any',
  });
}
const waitForErasure = (accountId: string) =>
  eventually(async () => {
    const events = await store.readStream(toStreamId({ name: 'person' }, accountId));
    expect(events.at(-1)?.type).toBe('ErasureCompleted');
  });

test('an erasure ends although a key of the account was lost, and its parked reactions end, too', async () => {
  const owner = await api.signUp('provider');
  const accountId = owner.user.id;
  const { id: adId } = await api.postAd(owner.token);
  const listing = toStreamId({ name: 'listing' }, accountId);
  await appendWithLostKey(accountId, listing, 'AdUpdated', { adId, body: 'Velvet thunder' });
  await waitForProjections();
  await eventually(async () =>
    expect((await findParked(listing)).map(({ projection }) => projection)).toEqual(
      expect.arrayContaining(['ad_cards', 'reactor-hiding-rules']),
    ),
  );
  expect(
    await api.call('POST', `/api/admin/users/${accountId}/erasure`, { token: admin.token, body: { reason: 'Asked' } }),
  ).toMatchObject({ status: 202 });
  await waitForErasure(accountId);
  expect(await findParked(listing)).toEqual([]);
  expect(await api.call('GET', `/api/ads/${adId}`)).toMatchObject({ status: 404 });
});

test('an erasure runs although the reason for its request cannot be decrypted', async () => {
  const owner = await api.signUp('provider');
  const accountId = owner.user.id;
  const person = toStreamId({ name: 'person' }, accountId);
  const receiptId = randomUUID();
  await appendWithLostKey(accountId, person, 'ErasureRequested', { receiptId, by: 'admin', reason: 'Lost words' });
  await waitForErasure(accountId);
  await waitForProjections();
  expect(await findParked(person)).toEqual([]);
  const { rows } = await pool.query('select completed_at from rm.erasures where receipt_id = $1', [receiptId]);
  expect(rows).toEqual([{ completed_at: expect.any(Date) }]);
  expect((await api.call('GET', '/api/auth/profile', { token: owner.token })).status).toBe(401);
});

test('an erasure ends although the key of another person in the same thread was lost', async () => {
  const [owner, other] = [await api.signUp('provider'), await api.signUp('client')];
  const [accountId, otherId] = [owner.user.id, other.user.id];
  const threadId = randomUUID();
  const thread = toStreamId({ name: 'thread' }, threadId);
  const place = { country: 'us', state: 'NV', city: 'reno' };
  const text = { title: 'Quiet places', body: 'Where is it quiet?', fingerprint: 'q' };
  const data = { threadId, accountId, admissionId: randomUUID(), ...place, ...text };
  await withPersonalData(store, createDataKeys(pool, secrets)).append(
    thread,
    [{ id: randomUUID(), type: 'ThreadStarted', version: 1, data, meta: meta() }],
    { expectedRevision: 'no-stream' },
  );
  const reply = { threadId, number: 1, admissionId: randomUUID(), quotedNumber: null, body: 'Marl', fingerprint: 'm' };
  await appendWithLostKey(otherId, thread, 'ReplyPosted', reply);
  await waitForProjections();
  expect(
    await api.call('POST', `/api/admin/users/${accountId}/erasure`, { token: admin.token, body: { reason: 'Asked' } }),
  ).toMatchObject({ status: 202 });
  await waitForErasure(accountId);
  expect((await store.readStream(thread)).filter(({ type }) => type === 'PostDeleted')).toMatchObject([
    { data: { number: 0, accountId } },
  ]);
  // The key of the other person can still be restored.
  expect(await findParked(thread)).toContainEqual(
    expect.objectContaining({ type: 'ReplyPosted', error: expect.stringContaining(`the key ${otherId}~777`) }),
  );
  expect((await pool.query('select from auth.data_keys where account_id = $1', [`${otherId}~777`])).rowCount).toBe(0);
});

test('an erasure ends although events of the account were damaged', async () => {
  const owner = await api.signUp('provider');
  const accountId = owner.user.id;
  const { id: adId } = await api.postAd(owner.token);
  const [listing, account, person] = ['listing', 'account', 'person'].map((name) =>
    toStreamId({ name }, accountId),
  ) as [StreamId, StreamId, StreamId];
  const [posted] = await store.readStream(listing);
  const { $sealed } = posted?.data as { readonly $sealed: { readonly subject: string } };
  const eventOf = (type: string, data: object) => ({ id: randomUUID(), type, version: 1, data, meta: meta() });
  const damaged = { accountId, $sealed: { ...$sealed, box: 'AAAA' } };
  await store.append(listing, [eventOf('AdUpdated', { ...damaged, adId })], { expectedRevision: 'any' });
  await store.append(account, [eventOf('ProfileUpdated', damaged)], { expectedRevision: 'any' });
  await waitForProjections();
  expect(await findParked(account)).not.toEqual([]);
  const opened = withPersonalData(store, createDataKeys(pool, secrets));
  const request = { accountId, receiptId: randomUUID(), by: 'admin', reason: 'Asked' };
  await opened.append(person, [eventOf('ErasureRequested', request)], { expectedRevision: 'any' });
  await waitForErasure(accountId);
  expect((await store.readStream(account)).map(({ type }) => type)).toContain('AccountClosed');
  expect((await store.readStream(listing)).map(({ type }) => type)).toContain('AdDeleted');
  expect([...(await findParked(account)), ...(await findParked(listing))]).toEqual([]);
});

test('an event whose ciphertext was changed is returned with a reason and without personal data', async () => {
  const keys = createDataKeys(pool, secrets);
  const opened = withPersonalData(store, keys);
  const person = randomUUID();
  const stream = toStreamId({ name: 'samples' }, person);
  const eventOf = (data: unknown) => ({ id: randomUUID(), type: 'ProfileUpdated', version: 1, data, meta: meta() });
  const data = { accountId: person, displayName: 'Anna', age: 30 };
  await opened.append(stream, [eventOf(data)], { expectedRevision: 'no-stream' });
  const [stored] = await store.readStream(stream);
  const { $sealed } = stored?.data as { readonly $sealed: object };
  // The ciphertext of one event is not valid in another event.
  await store.append(
    stream,
    [$sealed, { ...$sealed, box: '' }].map((box) => eventOf({ accountId: person, $sealed: box })),
    { expectedRevision: 0 },
  );
  const [readable, ...damaged] = await opened.readStream(stream);
  expect(readable?.data).toEqual(data);
  expect(readable).not.toHaveProperty('unreadable');
  expect(damaged).toHaveLength(2);
  for (const event of damaged) {
    expect(event.data).toEqual({ accountId: person });
    expect(event.unreadable).toContain('the data does not match the key');
  }
});
