import { NEW_ACCOUNT_WAIT_ms, toCaseId, toCaseSubject, toPostId } from '@alpenglow/domain';
import { beforeAll, expect, test } from 'vitest';
import { after, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

/** A person ruins the rating of an ad with many new accounts. */

const MINUTE_ms = 60_000;
const DAY_ms = 24 * 60 * MINUTE_ms;

const product = testProduct(() => ({ reviewWait_ms: NEW_ACCOUNT_WAIT_ms }));
const api = testApi(product);
const recording = testRecording(product);
let admin: Person;
beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
});

const postAd = async () => (await api.postAd((await recording.member({ userType: 'provider' })).token)).id;
const review = (adId: string, { token }: Person, rating: number) =>
  api.call('POST', `/api/ads/${adId}/reviews`, { token, body: { comment: 'As it was.', rating } });
async function reviewAt(adId: string, age_ms: number, rating: number): Promise<string> {
  const { status, headers } = await review(adId, await recording.member({ age_ms }), rating);
  expect(status).toBe(201);
  return headers.get('x-position') ?? '';
}
const read = async (path: string, position: string, token?: string) =>
  (await api.call('GET', path, { headers: after(position), ...(token !== undefined && { token }) })).body;

test('an account that is seconds old cannot review, and learns how long to wait', async () => {
  const adId = await postAd();
  expect(await review(adId, await api.signUp('client'), 1)).toMatchObject({
    status: 403,
    body: { code: 'ACCOUNT_TOO_NEW' },
  });
  const almost = await review(adId, await recording.member({ age_ms: NEW_ACCOUNT_WAIT_ms - MINUTE_ms }), 1);
  expect(Number(almost.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  await reviewAt(adId, NEW_ACCOUNT_WAIT_ms, 5);
});

test('five new accounts hardly change the average of two old ones, and moderators get one case', async () => {
  const adId = await postAd();
  await reviewAt(adId, 400 * DAY_ms, 5);
  await reviewAt(adId, 100 * DAY_ms, 5);
  let position = '';
  for (let n = 0; n < 5; n += 1) position = await reviewAt(adId, (11 + n) * MINUTE_ms, 1);
  // (5 × 1 × 1 + 2 × 5 × 4) / (5 × 1 + 2 × 4)
  expect((await read(`/api/ads/${adId}`, position))['data']).toMatchObject({ averageRating: 3.5, reviewCount: 7 });
  await eventually(async () =>
    expect((await read(`/api/admin/moderation/cases/ad-${adId}`, position, admin.token))['data']).toMatchObject({
      state: 'open',
      isHidden: false,
      reasons: [{ reason: 'review_wave', count: 1 }],
    }),
  );
  await reviewAt(adId, 20 * MINUTE_ms, 1);
  await eventually(async () =>
    expect((await read(`/api/admin/moderation/cases/ad-${adId}`, position, admin.token))['data']).toMatchObject({
      reasons: [{ reason: 'review_wave', count: 2 }],
    }),
  );
});

test('an ad that is posted again keeps the weights of its reviews', async () => {
  const owner = await recording.member({ userType: 'provider' });
  const { id } = await api.postAd(owner.token);
  await reviewAt(id, 400 * DAY_ms, 5);
  await reviewAt(id, 30 * DAY_ms, 1);
  await api.call('DELETE', `/api/ads/${id}`, { token: owner.token });
  const again = await api.postAd(owner.token);
  // (4 × 5 + 2 × 1) / (4 + 2)
  expect((await read(`/api/ads/${again.id}`, again.position))['data']).toMatchObject({ averageRating: 3.7 });
  const history = (await read(`/api/admin/ads/${again.id}`, again.position, admin.token))['data'];
  expect(history).toMatchObject({ ad: { rating: 3.7, reviewCount: 2, reviews: [{ rating: 5 }, { rating: 1 }] } });
});

test('the review of an old account whose content a moderator restricted counts as that of a new one', async () => {
  const [restricted, adId] = [await recording.member(), await postAd()];
  const thread = await api.call('POST', '/api/community/threads', {
    token: restricted.token,
    body: { country: 'us', state: 'NV', city: 'Reno', title: 'Where to walk?', body: 'In the evening.' },
  });
  const { id } = thread.body['data'] as { id: string };
  const subject = toCaseSubject({ kind: 'post', id: toPostId(id, 0) });
  const reported = await api.call('POST', '/api/reports', { body: { subject, reason: 'spam' } });
  const path = `/api/admin/moderation/cases/${toCaseId(subject)}`;
  await read(path, reported.headers.get('x-position') ?? '', admin.token);
  await api.call('POST', `${path}/claim`, { token: admin.token });
  const decided = await api.call('POST', `${path}/decide`, {
    token: admin.token,
    body: { outcome: 'hidden', rule: 'spam', facts: 'Advertises another site.' },
  });
  expect(decided.status).toBe(200);
  // The read model of the cases must contain the decision, because it determines the weight.
  expect((await read(path, decided.headers.get('x-position') ?? '', admin.token))['data']).toMatchObject({
    decision: { outcome: 'hidden' },
  });
  await reviewAt(adId, 400 * DAY_ms, 5);
  const { headers } = await review(adId, restricted, 1);
  // (4 × 5 + 1 × 1) / (4 + 1)
  expect((await read(`/api/ads/${adId}`, headers.get('x-position') ?? ''))['data']).toMatchObject({
    averageRating: 4.2,
  });
});
