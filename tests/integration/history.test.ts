import { listing, EMPTY_OPTIONAL_FIELDS, toStreamId, type ListingEvent, type CaseId } from '@alpenglow/domain';
import { beforeAll, describe, expect, test } from 'vitest';
import { after, validAd, type ApiResponse, type Person } from '../support/api.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { waitForReadModels } from '../support/threads.ts';
import { testApi, testPool, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
const pool = testPool(product, 2);
let anna: Person;
let ben: Person;
let admin: Person;
let mona: Person;

beforeAll(async () => {
  [anna, ben, admin, mona] = await Promise.all([
    recording.member({ userType: 'provider', displayName: 'Anna' }),
    recording.member({ displayName: 'Ben' }),
    recording.member({ email: 'admin@example.com', displayName: 'Ada' }),
    recording.member({ displayName: 'Mona' }),
  ]);
  await expectSuccess(
    api.call('PUT', `/api/admin/users/${mona.user.id}/role`, {
      token: admin.token,
      body: { role: 'moderator', reason: 'Helps out.' },
    }),
  );
});

async function expectSuccess(request: Promise<ApiResponse>): Promise<ApiResponse> {
  const response = await request;
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return response;
}
const dataOf = (response: ApiResponse) => response.body['data'] as Record<string, unknown>;
const get = async (path: string, { token }: Person = mona, headers: Record<string, string> = {}) =>
  expectSuccess(api.call('GET', `/api/admin${path}`, { token, headers }));
const listReads = async (staff: Person) =>
  (
    await pool.query<{ what: string; subject_id: string }>(
      'select what, subject_id from audit.staff_reads where staff_id = $1 order by id',
      [staff.user.id],
    )
  ).rows;
/** Reads the current time between two pauses, so that no event has the same time. Returns the time. */
async function uniqueTime(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 3));
  const now = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 3));
  return now;
}

describe('the history of an ad', () => {
  let adId = '';
  const snapshots: { at: string; ad: Record<string, unknown> }[] = [];
  let beforePost = '';
  let deletion: ApiResponse;

  /** Stores the public response for the ad after a write, for later comparison with the history. */
  async function recordSnapshot(write: ApiResponse): Promise<void> {
    // Only the owner reads the phone number here.
    const response = await expectSuccess(
      api.call('GET', `/api/ads/${adId}`, { token: anna.token, headers: after(write) }),
    );
    snapshots.push({ at: await uniqueTime(), ad: dataOf(response) });
  }

  beforeAll(async () => {
    beforePost = await uniqueTime();
    const posted = await expectSuccess(
      api.call('POST', '/api/ads', {
        token: anna.token,
        body: { ...validAd, title: 'First title', phone: '+17025550100' },
        headers: { 'x-request-id': 'request-of-anna' },
      }),
    );
    adId = (posted.body['ad'] as { id: string }).id;
    await recordSnapshot(posted);
    await recordSnapshot(
      await expectSuccess(
        api.call('PUT', `/api/ads/${adId}`, {
          token: anna.token,
          body: { title: '=Second title', price: '200', socialMedia: { website: 'https://anna.example' } },
        }),
      ),
    );
    await recordSnapshot(
      await expectSuccess(
        api.call('POST', `/api/ads/${adId}/reviews`, { token: ben.token, body: { comment: 'Kind.', rating: 4 } }),
      ),
    );
    await recordSnapshot(
      await expectSuccess(
        api.call('PUT', `/api/admin/ads/${adId}/featured`, { token: admin.token, body: { featured: true } }),
      ),
    );
    await recordSnapshot(
      await expectSuccess(api.call('PUT', `/api/ads/${adId}`, { token: anna.token, body: { phone: null } })),
    );
    deletion = await expectSuccess(api.call('DELETE', `/api/ads/${adId}`, { token: anna.token }));
    // The history of an ad needs a read model for which the reads above do not wait.
    await waitForReadModels(product.url);
  });

  test('returns the ad at any time as its page was at that time', async () => {
    expect(snapshots).toHaveLength(5);
    for (const { at, ad } of snapshots) {
      const { ad: reconstructed } = dataOf(await get(`/ads/${adId}?at=${at}`)) as { ad: Record<string, unknown> };
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
      expect(Object.fromEntries(same.map((field) => [field, reconstructed[field]])), at).toEqual(
        Object.fromEntries(same.map((field) => [field, ad[field]])),
      );
      expect(reconstructed['postedAt']).toBe(ad['createdAt']);
      const reviewsOf = (view: Record<string, unknown>) =>
        (view['reviews'] as Record<string, unknown>[]).map(({ name, comment, rating }) => ({ name, comment, rating }));
      expect(reviewsOf(reconstructed)).toEqual(reviewsOf(ad));
      expect(reconstructed['status']).toBe('active');
    }
  });
  test('is empty before the ad was posted and readable after it was deleted', async () => {
    expect(dataOf(await get(`/ads/${adId}?at=${beforePost}`))).toMatchObject({
      ad: null,
      revision: null,
      previousAt: null,
      difference: null,
      events: 6,
    });
    expect(dataOf(await get(`/ads/${adId}`, mona, after(deletion)))).toMatchObject({
      ownerId: anna.user.id,
      revision: 5,
      nextAt: null,
      ad: { status: 'deleted', title: '=Second title', isErased: false },
    });
  });
  test('returns the differences between two times', async () => {
    const [first, second] = snapshots;
    const response = dataOf(await get(`/ads/${adId}?at=${first?.at}&and=${second?.at}`));
    expect(response['difference']).toEqual([
      { field: 'title', before: 'First title', after: '=Second title' },
      { field: 'price', before: null, after: '200' },
      { field: 'socialMedia.website', before: null, after: 'https://anna.example' },
      { field: 'updatedAt', before: first?.ad['updatedAt'], after: second?.ad['updatedAt'] },
    ]);
    expect(response['nextAt']).toBe(second?.ad['updatedAt']);
  });
  test('lists every event with actor, time and changed fields, newest first', async () => {
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
      { field: 'phone', before: '+17025550100', after: null },
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
  test('can be paged and filtered by type', async () => {
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
  test('can be exported as JSON, and as CSV without formulas', async () => {
    const asJson = await get(`/ads/${adId}/history?format=json`);
    expect(asJson.headers.get('content-disposition')).toBe(`attachment; filename="history-${adId}.json"`);
    const { data, names } = (await get(`/ads/${adId}/history`)).body;
    expect(asJson.body).toEqual({ success: true, data: (data as unknown[]).toReversed(), nextCursor: null, names });
    const { headers, body } = await get(`/ads/${adId}/history?format=csv`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = String(body['text']).split('\r\n');
    expect(lines[0]).toMatch(/revision,position,at,type,actor_kind,/u);
    expect(lines.find((line) => line.includes(',title,First title,'))).toContain(`title,First title,'=Second title`);
    // The phone number starts with a sign that spreadsheets treat as a formula.
    expect(lines.find((line) => line.includes(',phone,') && line.includes('AdUpdated'))).toContain(`'+17025550100`);
  });
  test('records every read in the log of staff reads with the owner of the ad', async () => {
    const countReads = async (what: string) => {
      const { rows } = await pool.query<{ entries: number; reads: number }>(
        `select count(*)::int as entries, sum(coalesce(reads, 1))::int as reads
           from audit.staff_reads where staff_id = $1 and subject_id = $2 and what = $3`,
        [mona.user.id, anna.user.id, what],
      );
      return rows[0];
    };
    await get(`/ads/${adId}`);
    await get(`/ads/${adId}/history`);
    const [page, list] = await Promise.all([countReads('getAdAsOf'), countReads('listAdHistory')]);
    await get(`/ads/${adId}`);
    await get(`/ads/${adId}/history`);
    expect(await countReads('getAdAsOf'), 'repeated').toEqual({
      entries: page?.entries,
      reads: (page?.reads ?? 0) + 1,
    });
    await get(`/ads/${adId}?at=${new Date(Date.now() - 1).toJSON()}`);
    expect(await countReads('getAdAsOf'), 'another state of the ad has its own entry').toEqual({
      entries: (page?.entries ?? 0) + 1,
      reads: (page?.reads ?? 0) + 2,
    });
    expect(await countReads('listAdHistory'), 'repeated').toEqual({
      entries: list?.entries,
      reads: (list?.reads ?? 0) + 1,
    });
    await get(`/ads/${adId}/history?format=csv`);
    expect(await countReads('listAdHistory'), 'each file has its own entry').toEqual({
      entries: (list?.entries ?? 0) + 1,
      reads: (list?.reads ?? 0) + 2,
    });
  });
  test('returns 404 for an unknown ad and 400 for an invalid time', async () => {
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

test('logs reads of an ad page only for admins, who receive the e-mail address', async () => {
  const owner = await recording.member({ userType: 'provider', displayName: 'Otto' });
  const { id, position } = await api.postAd(owner.token);
  const countReads = async () =>
    Promise.all([admin, mona, owner].map(async (person) => (await listReads(person)).length));
  const [byAdmin = 0, ...others] = await countReads();
  for (const { token } of [admin, mona, owner])
    await expectSuccess(api.call('GET', `/api/ads/${id}`, { token, headers: after(position) }));
  expect((await listReads(admin)).slice(byAdmin)).toEqual([{ what: 'getAd', subject_id: owner.user.id }]);
  expect((await countReads()).slice(1)).toEqual(others);
});

describe('the explanation of the rank of an ad', () => {
  const place = { category: 'companion', state: 'NV', city: 'Reno' } as const;
  const lists: { at: string; ids: string[] }[] = [];
  let ids: string[] = [];

  beforeAll(async () => {
    const people = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((displayName) => recording.member({ userType: 'provider', displayName })),
    );
    ids = people.map((_person, index) => `00000000-0000-4000-8000-00000000000${index}`);
    let now_ms = Date.now();
    /** Records an event of an ad. Stores the public list of ads after this event. */
    async function recordEvent(
      index: number,
      event: (ids: { accountId: string; adId: string }) => ListingEvent,
      storesList = true,
    ): Promise<void> {
      const [accountId, adId] = [people[index]?.user.id ?? '', ids[index] ?? ''];
      now_ms += 60_000;
      const at = new Date(now_ms).toISOString();
      await recording.commands.handle(listing, accountId, () => [event({ accountId, adId })], TEST_ORIGIN, { now: at });
      if (!storesList) return;
      await waitForReadModels(product.url);
      const response = await expectSuccess(api.call('GET', '/api/ads?state=NV&city=reno&category=companion'));
      lists.push({ at, ids: (response.body['data'] as { id: string }[]).map(({ id }) => id) });
    }
    const { name, title, description } = validAd;
    const createPosted = (adIds: { accountId: string; adId: string }): ListingEvent => ({
      type: 'AdPosted',
      data: {
        ...adIds,
        clientId: null,
        name,
        title,
        description,
        ...place,
        ...EMPTY_OPTIONAL_FIELDS,
        photos: [],
        video: null,
        isDemo: false,
      },
    });
    for (const index of ids.keys()) await recordEvent(index, createPosted, index === 4);
    await recordEvent(1, (adIds) => ({ type: 'AdBumped', data: adIds }));
    await recordEvent(0, (adIds) => ({ type: 'AdUpdated', data: { ...adIds, title: 'Edited' } }));
    await recordEvent(2, (adIds) => ({ type: 'AdFeatured', data: { ...adIds, isFeatured: true } }));
    await recordEvent(3, (adIds) => ({ type: 'AdUpdated', data: { ...adIds, city: 'Las Vegas' } }));
    await recordEvent(4, (adIds) => ({
      type: 'AdHidden',
      data: { ...adIds, by: 'moderator', caseId: 'case-1' as CaseId },
    }));
    await recordEvent(0, (adIds) => ({ type: 'AdBumped', data: adIds }));
    await recordEvent(4, (adIds) => ({ type: 'AdRestored', data: { ...adIds, caseId: 'case-1' as CaseId } }));
    await recordEvent(3, (adIds) => ({ type: 'AdUpdated', data: { ...adIds, city: 'Reno' } }));
    await recordEvent(1, (adIds) => ({ type: 'AdDeleted', data: { ...adIds, reason: null } }));
  });

  test('returns the rank in the public list at any time', async () => {
    for (const { at, ids: order } of lists) {
      for (const [index, id] of order.entries()) {
        const data = dataOf(await get(`/ads/${id}/rank?at=${at}`));
        expect(data, at).toMatchObject({ status: 'listed', rank: index + 1, total: order.length, ...place });
        expect((data['standings'] as { adId: string }[]).map(({ adId }) => adId)).toEqual(
          order.slice(Math.max(0, index - 3), index + 4),
        );
      }
    }
    expect(new Set(lists.map(({ ids: order }) => order.join())).size).toBeGreaterThan(5);
  });
  test('names the event that moved the ad to the top, which is never an edit', async () => {
    const data = dataOf(await get(`/ads/${ids[0]}/rank?at=${lists.at(-1)?.at}`));
    expect(data['because']).toMatchObject({ type: 'AdBumped', revision: 2 });
    const [, , edited] = lists;
    expect(dataOf(await get(`/ads/${ids[0]}/rank?at=${edited?.at}`))).toMatchObject({
      rank: 5,
      because: { type: 'AdPosted', revision: 0 },
    });
  });
  test('returns no rank for hidden, deleted and future ads', async () => {
    const [first, , , , , hidden] = lists;
    expect(dataOf(await get(`/ads/${ids[4]}/rank?at=${hidden?.at}`))).toMatchObject({
      status: 'hidden',
      rank: null,
      standings: [],
      because: null,
    });
    expect(dataOf(await get(`/ads/${ids[1]}/rank?at=${lists.at(-1)?.at}`))).toMatchObject({
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

describe('the history of an account', () => {
  test('is available to admins only and contains no secrets', async () => {
    await expectSuccess(api.call('PUT', '/api/auth/profile', { token: ben.token, body: { displayName: 'Benjamin' } }));
    const { body } = await get(`/users/${ben.user.id}/history`, admin);
    const data = body['data'] as { type: string; changes: unknown[] }[];
    expect(data[0]).toMatchObject({
      type: 'ProfileUpdated',
      changes: [{ field: 'displayName', before: 'Ben', after: 'Benjamin' }],
    });
    expect(JSON.stringify(body)).not.toMatch(/argon2|passwordHash/u);
    expect((await listReads(admin)).at(-1)).toEqual({ what: 'listUserHistory', subject_id: ben.user.id });
    expect((await api.call('GET', `/api/admin/users/${ben.user.id}/history`, { token: mona.token })).status).toBe(403);
  });
  test('returns the account at any time, and reasons of admins', async () => {
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
  test('returns 404 for an unknown id', async () => {
    for (const path of ['history', 'as-of'])
      expect(await api.call('GET', `/api/admin/users/unknown/${path}`, { token: admin.token })).toMatchObject({
        status: 404,
        body: { code: 'USER_NOT_FOUND' },
      });
  });
});

describe('the history of a thread', () => {
  test('lists all events of the thread and its posts, and returns the thread at any time', async () => {
    const started = await expectSuccess(
      api.call('POST', '/api/community/threads', {
        token: mona.token,
        body: { state: 'NV', city: 'Reno', title: 'Quiet places', body: 'Where?' },
      }),
    );
    const { id } = dataOf(started) as { id: string };
    await expectSuccess(
      api.call('POST', `/api/community/threads/${id}/replies`, {
        token: mona.token,
        body: { body: 'By the river.', quotedNumber: 0 },
      }),
    );
    const replied = await uniqueTime();
    await expectSuccess(
      api.call('PUT', `/api/community/threads/${id}/posts/1`, { token: mona.token, body: { body: 'In the park.' } }),
    );
    const locked = await expectSuccess(
      api.call('PUT', `/api/admin/community/threads/${id}/locked`, { token: mona.token, body: { locked: true } }),
    );
    const { body } = await get(`/community/threads/${id}/history`);
    const data = body['data'] as { type: string; changes: unknown }[];
    expect(data.map(({ type }) => type)).toEqual(['ThreadLocked', 'PostEdited', 'ReplyPosted', 'ThreadStarted']);
    expect(data[1]?.changes).toContainEqual({ field: 'posts.1.body', before: 'By the river.', after: 'In the park.' });
    const now = await uniqueTime();
    const response = dataOf(await get(`/community/threads/${id}?at=${replied}&and=${now}`));
    expect(response).toMatchObject({
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
    expect((response['difference'] as { field: string }[]).map(({ field }) => field)).toEqual([
      'isLocked',
      'posts.1.body',
      'posts.1.editedAt',
    ]);
    expect(dataOf(await get(`/community/threads/${id}?post=1`))).toMatchObject({
      thread: { posts: [{ number: 1, body: 'In the park.' }] },
    });
    await get(`/community/threads/${id}`, admin);
    await get(`/community/threads/${id}/history`, admin);
    expect((await listReads(admin)).slice(-2)).toEqual(
      ['getThreadAsOf', 'listThreadHistory'].map((what) => ({ what, subject_id: mona.user.id })),
    );

    const before = (await listReads(mona)).length;
    for (const { token } of [admin, mona])
      await expectSuccess(
        api.call('GET', `/api/community/threads/${id}/posts/1/history`, { token, headers: after(locked) }),
      );
    expect((await listReads(admin)).at(-1), 'earlier text of another member').toEqual({
      what: 'getPostHistory',
      subject_id: mona.user.id,
    });
    expect(await listReads(mona), 'own text').toHaveLength(before);
  });
  test('returns 404 for an unknown id', async () => {
    for (const id of ['x', '00000000-0000-4000-8000-000000000000'])
      for (const path of ['', '/history'])
        expect(await api.call('GET', `/api/admin/community/threads/${id}${path}`, { token: mona.token })).toMatchObject(
          { status: 404, body: { code: 'THREAD_NOT_FOUND' } },
        );
  });
});

test('returns every event of a history that is longer than one batch', async () => {
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
      ...EMPTY_OPTIONAL_FIELDS,
      photos: [],
      video: null,
      isDemo: false,
    },
  };
  await recording.commands.handle(listing, owner.user.id, () => [posted], TEST_ORIGIN);
  for (let batch = 0; batch < 5; batch += 1) {
    await recording.commands.handle(
      listing,
      owner.user.id,
      () => Array.from({ length: 300 }, (): ListingEvent => ({ type: 'AdBumped', data: ids })),
      TEST_ORIGIN,
    );
  }
  // These writes had no request, so there is no encrypted position to wait for.
  await waitForReadModels(product.url);
  expect(toStreamId(listing, owner.user.id)).toBe(`listing-${owner.user.id}`);
  const file = (await get(`/ads/${adId}/history?format=json`)).body['data'] as { revision: number }[];
  expect(file.map(({ revision }) => revision)).toEqual(Array.from({ length: 1501 }, (_item, revision) => revision));
  expect(dataOf(await get(`/ads/${adId}`))).toMatchObject({ events: 1501, ad: { bumpCount: 1500 } });
});
