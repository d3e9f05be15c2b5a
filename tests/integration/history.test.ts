import { listing, streamOf, type ListingEvent } from '@alpenglow/domain';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, validAd, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let pool: Pool;
let anna: Person;
let ben: Person;
let admin: Person;
let mona: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  pool = new Pool({ connectionString: product.databaseUrl, max: 2 });
  [anna, ben, admin, mona] = await Promise.all([
    recording.member({ userType: 'provider', displayName: 'Anna' }),
    recording.member({ displayName: 'Ben' }),
    recording.member({ email: 'admin@example.com', displayName: 'Admin' }),
    recording.member({ displayName: 'Mona' }),
  ]);
  await done(
    api.call('PUT', `/api/admin/users/${mona.user.id}/role`, {
      token: admin.token,
      body: { role: 'moderator', reason: 'Helps out.' },
    }),
  );
});
afterAll(async () => {
  await pool.end();
  await recording.close();
  await product.stop();
});

async function done(asking: Promise<Answer>): Promise<Answer> {
  const answer = await asking;
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer;
}
const after = ({ headers }: Answer) => ({ 'x-wait-position': headers.get('x-position') ?? '' });
const dataOf = (answer: Answer) => answer.body['data'] as Record<string, unknown>;
const get = async (path: string, { token }: Person = mona, headers: Record<string, string> = {}) =>
  done(api.call('GET', `/api/admin${path}`, { token, headers }));
const readsOf = async (staff: Person) =>
  (
    await pool.query<{ what: string; subject_id: string }>(
      'select what, subject_id from audit.staff_reads where staff_id = $1 order by id',
      [staff.user.id],
    )
  ).rows;
/** A moment no event has, so that what is before it is told from what is after. */
async function moment(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 3));
  const now = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 3));
  return now;
}

describe('an ad', () => {
  let adId = '';
  const shown: { at: string; ad: Record<string, unknown> }[] = [];
  let beforeIt = '';
  let gone: Answer;

  /** What visitors of the ad's page are answered, once they are told of what was written. */
  async function note(written: Answer): Promise<void> {
    const answer = await done(api.call('GET', `/api/ads/${adId}`, { headers: after(written) }));
    shown.push({ at: await moment(), ad: dataOf(answer) });
  }

  beforeAll(async () => {
    beforeIt = await moment();
    const posted = await done(
      api.call('POST', '/api/ads', {
        token: anna.token,
        body: { ...validAd, title: 'First words', phone: '+1 702 555 0100' },
        headers: { 'x-request-id': 'request-of-anna' },
      }),
    );
    adId = (posted.body['ad'] as { id: string }).id;
    await note(posted);
    await note(
      await done(
        api.call('PUT', `/api/ads/${adId}`, {
          token: anna.token,
          body: { title: '=Second words', price: '200', socialMedia: { website: 'https://anna.example' } },
        }),
      ),
    );
    await note(
      await done(
        api.call('POST', `/api/ads/${adId}/reviews`, { token: ben.token, body: { comment: 'Kind.', rating: 4 } }),
      ),
    );
    await note(
      await done(api.call('PUT', `/api/admin/ads/${adId}/featured`, { token: admin.token, body: { featured: true } })),
    );
    await note(await done(api.call('PUT', `/api/ads/${adId}`, { token: anna.token, body: { phone: null } })));
    gone = await done(api.call('DELETE', `/api/ads/${adId}`, { token: anna.token }));
  });

  test('as of each moment is what its page showed then', async () => {
    expect(shown).toHaveLength(5);
    for (const { at, ad } of shown) {
      const { ad: stood } = dataOf(await get(`/ads/${adId}?at=${at}`)) as { ad: Record<string, unknown> };
      const same = [
        'title',
        'name',
        'category',
        'state',
        'city',
        'description',
        'price',
        'body',
        'phone',
        'isFeatured',
        'bumpCount',
        'lastBumpedAt',
        'rating',
        'reviewCount',
        'updatedAt',
      ];
      expect(Object.fromEntries(same.map((field) => [field, stood[field]])), at).toEqual(
        Object.fromEntries(same.map((field) => [field, ad[field]])),
      );
      expect(stood['postedAt']).toBe(ad['createdAt']);
      expect(
        (stood['reviews'] as Record<string, unknown>[]).map(({ name, comment, rating }) => ({ name, comment, rating })),
      ).toEqual(ad['reviews']);
      expect(stood['status']).toBe('active');
    }
  });
  test('is nothing before it was posted, and is still to be read once it is gone', async () => {
    expect(dataOf(await get(`/ads/${adId}?at=${beforeIt}`))).toMatchObject({
      ad: null,
      revision: null,
      previousAt: null,
      difference: null,
      events: 6,
    });
    expect(dataOf(await get(`/ads/${adId}`, mona, after(gone)))).toMatchObject({
      ownerId: anna.user.id,
      revision: 5,
      nextAt: null,
      ad: { status: 'deleted', title: '=Second words', isErased: false },
    });
  });
  test('between two moments differs in what was changed between them', async () => {
    const [first, second] = shown;
    const answer = dataOf(await get(`/ads/${adId}?at=${first?.at}&and=${second?.at}`));
    expect(answer['difference']).toEqual([
      { field: 'title', before: 'First words', after: '=Second words' },
      { field: 'price', before: null, after: '200' },
      { field: 'socialMedia.website', before: null, after: 'https://anna.example' },
      { field: 'updatedAt', before: first?.ad['updatedAt'], after: second?.ad['updatedAt'] },
    ]);
    expect(answer['nextAt']).toBe(second?.ad['updatedAt']);
  });
  test('tells who did what and when, field by field, the last first', async () => {
    const { data, nextCursor } = (await get(`/ads/${adId}/history`)).body as {
      data: Record<string, unknown>[];
      nextCursor: unknown;
    };
    expect(data.map(({ type }) => type)).toEqual([
      'AdDeleted',
      'AdUpdated',
      'AdFeatured',
      'AdReviewed',
      'AdUpdated',
      'AdPosted',
    ]);
    expect(nextCursor).toBeNull();
    expect(data[1]).toMatchObject({
      revision: 4,
      actor: { kind: 'account', id: anna.user.id, name: 'Anna' },
      causationId: null,
    });
    expect(data[1]?.['changes']).toEqual([
      { field: 'phone', before: '+1 702 555 0100', after: null },
      { field: 'updatedAt', before: expect.any(String) as string, after: data[1]?.['at'] },
    ]);
    expect(data[3]).toMatchObject({
      actor: { name: 'Ben' },
      changes: expect.arrayContaining([{ field: 'reviewCount', before: 0, after: 1 }]) as unknown,
    });
    expect(data[5]).toMatchObject({
      correlationId: 'request-of-anna',
      changes: expect.arrayContaining([{ field: 'status', before: null, after: 'active' }]) as unknown,
    });
    expect(JSON.stringify(data)).not.toContain('@example.com');
  });
  test('in pages, and of one type', async () => {
    const types: unknown[] = [];
    let cursor: unknown = '';
    while (cursor !== null) {
      const { data, nextCursor } = (await get(`/ads/${adId}/history?limit=2&cursor=${cursor as string}`)).body as {
        data: { type: string }[];
        nextCursor: unknown;
      };
      expect(data).toHaveLength(2);
      types.push(...data.map(({ type }) => type));
      cursor = nextCursor;
    }
    expect(types).toEqual(['AdDeleted', 'AdUpdated', 'AdFeatured', 'AdReviewed', 'AdUpdated', 'AdPosted']);
    const { body } = await get(`/ads/${adId}/history?type=AdUpdated&limit=1`);
    expect(body).toMatchObject({ data: [{ revision: 4 }], nextCursor: expect.any(String) as string });
  });
  test('as a file of JSON, and of CSV in which no cell is a formula', async () => {
    const asJson = await get(`/ads/${adId}/history?format=json`);
    expect(asJson.headers.get('content-disposition')).toBe(`attachment; filename="history-${adId}.json"`);
    const paged = (await get(`/ads/${adId}/history`)).body['data'] as unknown[];
    expect(asJson.body).toEqual({ success: true, data: paged.toReversed(), nextCursor: null });
    const { headers, body } = await get(`/ads/${adId}/history?format=csv`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = String(body['text']).split('\r\n');
    expect(lines[0]).toMatch(/revision,position,at,type,actor_kind,/u);
    expect(lines.find((line) => line.includes(',title,First words,'))).toContain(`title,First words,'=Second words`);
    // As the phone begins with a sign that spreadsheets calculate with, too.
    expect(lines.find((line) => line.includes(',phone,') && line.includes('AdUpdated'))).toContain(`'+1 702 555 0100`);
  });
  test('is in the log of staff reads as its owner’s, whoever looks', async () => {
    const before = (await readsOf(mona)).length;
    await get(`/ads/${adId}`);
    await get(`/ads/${adId}/history`);
    await get(`/ads/${adId}/history?format=csv`);
    expect((await readsOf(mona)).slice(before)).toEqual(
      ['getAdAsOf', 'listAdHistory', 'listAdHistory'].map((what) => ({ what, subject_id: anna.user.id })),
    );
  });
  test('that never was is not found; a time that is none is refused', async () => {
    for (const path of ['', '/history', '/rank'])
      expect(await api.call('GET', `/api/admin/ads/no-such-ad${path}`, { token: mona.token })).toMatchObject({
        status: 404,
        body: { code: 'AD_NOT_FOUND' },
      });
    for (const at of ['yesterday', '2026-13-01T00:00:00Z', '2026-01-01'])
      expect(await api.call('GET', `/api/admin/ads/${adId}?at=${at}`, { token: mona.token })).toMatchObject({
        status: 400,
        body: { fields: { at: expect.any(String) as string } },
      });
    expect(await api.call('GET', `/api/admin/ads/${adId}/history?cursor=x`, { token: mona.token })).toMatchObject({
      status: 400,
      body: { fields: { cursor: expect.any(String) as string } },
    });
  });
});

test('an admin who is shown the e-mail address on the page of an ad is in the log of staff reads, and nobody else', async () => {
  const owner = await recording.member({ userType: 'provider', displayName: 'Otto' });
  const { id, position } = await api.postAd(owner.token);
  const counts = async () => Promise.all([admin, mona, owner].map(async (who) => (await readsOf(who)).length));
  const [byAdmin = 0, ...others] = await counts();
  for (const { token } of [admin, mona, owner])
    await done(api.call('GET', `/api/ads/${id}`, { token, headers: { 'x-wait-position': position } }));
  expect((await readsOf(admin)).slice(byAdmin)).toEqual([{ what: 'getAd', subject_id: owner.user.id }]);
  expect((await counts()).slice(1)).toEqual(others);
});

describe('why an ad stood where it did', () => {
  const place = { category: 'companion', state: 'NV', city: 'Reno' } as const;
  const noted: { at: string; ids: string[] }[] = [];
  let ids: string[] = [];

  beforeAll(async () => {
    const people = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((displayName) => recording.member({ userType: 'provider', displayName })),
    );
    ids = people.map((_person, index) => `00000000-0000-4000-8000-00000000000${index}`);
    let now_ms = Date.now();
    /** Says what happens to the ad of one of them, and notes the list as visitors then see it. */
    async function happens(
      index: number,
      event: (of: { accountId: string; adId: string }) => ListingEvent,
      noteIt = true,
    ): Promise<void> {
      const [accountId, adId] = [people[index]?.user.id ?? '', ids[index] ?? ''];
      now_ms += 60_000;
      const at = new Date(now_ms).toISOString();
      const { position } = await recording.commands.handle(
        listing,
        accountId,
        () => [event({ accountId, adId })],
        BY_TEST,
        { now: at },
      );
      if (!noteIt) return;
      const answer = await done(
        api.call('GET', '/api/ads?state=NV&city=reno&category=companion', {
          headers: { 'x-wait-position': position ?? '' },
        }),
      );
      noted.push({ at, ids: (answer.body['data'] as { id: string }[]).map(({ id }) => id) });
    }
    const { name, title, description } = validAd;
    const posts = (of: { accountId: string; adId: string }): ListingEvent => ({
      type: 'AdPosted',
      data: {
        ...of,
        clientId: null,
        name,
        title,
        description,
        ...place,
        price: null,
        body: null,
        phone: null,
        socialMedia: null,
        photos: [],
        video: null,
        isDemo: false,
      },
    });
    for (const index of ids.keys()) await happens(index, posts, index === 4);
    await happens(1, (of) => ({ type: 'AdBumped', data: of }));
    await happens(0, (of) => ({ type: 'AdUpdated', data: { ...of, title: 'Edited' } }));
    await happens(2, (of) => ({ type: 'AdFeatured', data: { ...of, isFeatured: true } }));
    await happens(3, (of) => ({ type: 'AdUpdated', data: { ...of, city: 'Las Vegas' } }));
    await happens(4, (of) => ({ type: 'AdHidden', data: { ...of, by: 'moderator', caseId: 'case-1' } }));
    await happens(0, (of) => ({ type: 'AdBumped', data: of }));
    await happens(4, (of) => ({ type: 'AdRestored', data: { ...of, caseId: 'case-1' } }));
    await happens(3, (of) => ({ type: 'AdUpdated', data: { ...of, city: 'Reno' } }));
    await happens(1, (of) => ({ type: 'AdDeleted', data: { ...of, reason: null } }));
  });

  test('its place at each moment is the one visitors saw it at', async () => {
    for (const { at, ids: order } of noted) {
      for (const [index, id] of order.entries()) {
        const data = dataOf(await get(`/ads/${id}/rank?at=${at}`));
        expect(data, at).toMatchObject({ status: 'listed', rank: index + 1, total: order.length, ...place });
        expect((data['standings'] as { adId: string }[]).map(({ adId }) => adId)).toEqual(
          order.slice(Math.max(0, index - 3), index + 4),
        );
      }
    }
    expect(new Set(noted.map(({ ids: order }) => order.join())).size).toBeGreaterThan(5);
  });
  test('it owes it to the event that moved it up: never to an edit', async () => {
    const data = dataOf(await get(`/ads/${ids[0]}/rank?at=${noted.at(-1)?.at}`));
    expect(data['because']).toMatchObject({ type: 'AdBumped', revision: 2 });
    const [, , edited] = noted;
    expect(dataOf(await get(`/ads/${ids[0]}/rank?at=${edited?.at}`))).toMatchObject({
      rank: 5,
      because: { type: 'AdPosted', revision: 0 },
    });
  });
  test('what was hidden, gone or not there yet had no place', async () => {
    const [first, , , , , hidden] = noted;
    expect(dataOf(await get(`/ads/${ids[4]}/rank?at=${hidden?.at}`))).toMatchObject({
      status: 'hidden',
      rank: null,
      standings: [],
      because: null,
    });
    expect(dataOf(await get(`/ads/${ids[1]}/rank?at=${noted.at(-1)?.at}`))).toMatchObject({
      status: 'deleted',
      rank: null,
    });
    expect(dataOf(await get(`/ads/${ids[1]}/rank?at=2020-01-01T00:00:00Z`))).toMatchObject({
      status: 'not_posted',
      rank: null,
      total: 0,
      city: null,
    });
    expect(first?.ids).toHaveLength(5);
  });
});

describe('an account', () => {
  test('tells what happened to it, to admins alone, and never a secret', async () => {
    await done(api.call('PUT', '/api/auth/profile', { token: ben.token, body: { displayName: 'Benjamin' } }));
    const { body } = await get(`/users/${ben.user.id}/history`, admin);
    const data = body['data'] as { type: string; changes: unknown[] }[];
    expect(data[0]).toMatchObject({
      type: 'ProfileUpdated',
      changes: [{ field: 'displayName', before: 'Ben', after: 'Benjamin' }],
    });
    expect(JSON.stringify(body)).not.toMatch(/argon2|passwordHash/u);
    expect((await readsOf(admin)).at(-1)).toEqual({ what: 'listUserHistory', subject_id: ben.user.id });
    expect((await api.call('GET', `/api/admin/users/${ben.user.id}/history`, { token: mona.token })).status).toBe(403);
  });
  test('as of a moment is what it was, with the reason of an admin in its history', async () => {
    const granted = (await get(`/users/${mona.user.id}/history?type=RoleGranted`, admin)).body['data'] as {
      at: string;
      details: unknown;
    }[];
    expect(granted).toMatchObject([
      {
        details: [
          { name: 'reason', value: 'Helps out.' },
          { name: 'role', value: 'moderator' },
        ],
        changes: [{ field: 'role', before: null, after: 'moderator' }],
      },
    ]);
    const at = granted[0]?.at ?? '';
    expect(dataOf(await get(`/users/${mona.user.id}/as-of?at=${at}`, admin))).toMatchObject({
      account: { displayName: 'Mona', email: mona.email, role: 'moderator', status: 'open' },
      nextAt: null,
    });
    const before = new Date(Date.parse(at) - 1).toISOString();
    expect(dataOf(await get(`/users/${mona.user.id}/as-of?at=${before}&and=${at}`, admin))).toMatchObject({
      account: { role: null },
      nextAt: at,
      difference: [{ field: 'role', before: null, after: 'moderator' }],
    });
  });
  test('that never was is not found', async () => {
    for (const path of ['history', 'as-of'])
      expect(await api.call('GET', `/api/admin/users/nobody/${path}`, { token: admin.token })).toMatchObject({
        status: 404,
        body: { code: 'USER_NOT_FOUND' },
      });
  });
});

describe('a thread', () => {
  test('tells what happened to it and its posts, and stands as it stood', async () => {
    const started = await done(
      api.call('POST', '/api/community/threads', {
        token: mona.token,
        body: { state: 'NV', city: 'Reno', title: 'Quiet places', body: 'Where?' },
      }),
    );
    const { id } = dataOf(started) as { id: string };
    await done(
      api.call('POST', `/api/community/threads/${id}/replies`, {
        token: mona.token,
        body: { body: 'By the river.', quotedNumber: 0 },
      }),
    );
    const replied = await moment();
    await done(
      api.call('PUT', `/api/community/threads/${id}/posts/1`, { token: mona.token, body: { body: 'In the park.' } }),
    );
    await done(
      api.call('PUT', `/api/admin/community/threads/${id}/locked`, { token: mona.token, body: { locked: true } }),
    );
    const { body } = await get(`/community/threads/${id}/history`);
    const data = body['data'] as { type: string; changes: unknown }[];
    expect(data.map(({ type }) => type)).toEqual(['ThreadLocked', 'PostEdited', 'ReplyPosted', 'ThreadStarted']);
    expect(data[1]?.changes).toContainEqual({ field: 'posts.1.body', before: 'By the river.', after: 'In the park.' });
    const now = await moment();
    const answer = dataOf(await get(`/community/threads/${id}?at=${replied}&and=${now}`));
    expect(answer).toMatchObject({
      thread: {
        title: 'Quiet places',
        isLocked: false,
        postCount: 2,
        posts: [
          { number: 0, body: 'Where?' },
          { number: 1, body: 'By the river.', quotedNumber: 0, editedAt: null },
        ],
      },
    });
    expect((answer['difference'] as { field: string }[]).map(({ field }) => field)).toEqual([
      'isLocked',
      'posts.1.body',
      'posts.1.editedAt',
    ]);
    expect(dataOf(await get(`/community/threads/${id}?post=1`))).toMatchObject({
      thread: { posts: [{ number: 1, body: 'In the park.' }] },
    });
    await get(`/community/threads/${id}`, admin);
    await get(`/community/threads/${id}/history`, admin);
    expect((await readsOf(admin)).slice(-2)).toEqual(
      ['getThreadAsOf', 'listThreadHistory'].map((what) => ({ what, subject_id: mona.user.id })),
    );

    const before = (await readsOf(mona)).length;
    for (const { token } of [admin, mona])
      await done(api.call('GET', `/api/community/threads/${id}/posts/1/history`, { token }));
    expect((await readsOf(admin)).at(-1), 'earlier words of somebody else').toEqual({
      what: 'getPostHistory',
      subject_id: mona.user.id,
    });
    expect(await readsOf(mona), 'their own').toHaveLength(before);
  });
  test('that never was is not found', async () => {
    for (const id of ['x', '00000000-0000-4000-8000-000000000000'])
      for (const path of ['', '/history'])
        expect(await api.call('GET', `/api/admin/community/threads/${id}${path}`, { token: mona.token })).toMatchObject(
          { status: 404, body: { code: 'THREAD_NOT_FOUND' } },
        );
  });
});

test('of a history longer than is read at once, every event is told', async () => {
  const owner = await recording.member({ userType: 'provider' });
  const adId = '00000000-0000-4000-8000-000000000099';
  const ids = { accountId: owner.user.id, adId };
  const { name, title, description, category, state, city } = validAd;
  const posted: ListingEvent = {
    type: 'AdPosted',
    data: {
      ...ids,
      clientId: null,
      name,
      title,
      description,
      category: category as 'escort',
      state,
      city,
      price: null,
      body: null,
      phone: null,
      socialMedia: null,
      photos: [],
      video: null,
      isDemo: false,
    },
  };
  await recording.commands.handle(listing, owner.user.id, () => [posted], BY_TEST);
  let position: string | null = null;
  for (let batch = 0; batch < 5; batch += 1) {
    ({ position } = await recording.commands.handle(
      listing,
      owner.user.id,
      () => Array.from({ length: 300 }, (): ListingEvent => ({ type: 'AdBumped', data: ids })),
      BY_TEST,
    ));
  }
  expect(streamOf(listing, owner.user.id)).toBe(`listing-${owner.user.id}`);
  const file = (await get(`/ads/${adId}/history?format=json`, mona, { 'x-wait-position': position ?? '' })).body[
    'data'
  ] as { revision: number }[];
  expect(file.map(({ revision }) => revision)).toEqual(Array.from({ length: 1501 }, (_one, revision) => revision));
  expect(dataOf(await get(`/ads/${adId}`))).toMatchObject({ events: 1501, ad: { bumpCount: 1500 } });
});
