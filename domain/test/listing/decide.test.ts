import { describe, expect, test } from 'vitest';
import { BUMP_COOLDOWN_ms } from '../../src/constants.ts';
import type { Poster, Reviewer } from '../../src/listing/commands.ts';
import { bumpAd, deleteAd, featureAd, postAd, removeAdByAdmin, reviewAd, updateAd } from '../../src/listing/decide.ts';
import type { ListingEvent } from '../../src/listing/events.ts';
import { listing } from '../../src/listing/state.ts';
import { AT, given as givenOf } from '../given.ts';

const given = givenOf(listing);
const poster: Poster = { accountId: 'anna', isProvider: true, emailVerified: true };
const context = { now: AT, newId: () => 'ad-1' };
const at = (offset_ms: number) => new Date(Date.parse(AT) + offset_ms).toISOString();

const fields = {
  name: 'Anna',
  title: 'Good company',
  category: 'escort' as const,
  state: 'NV',
  city: 'Las Vegas',
  description: 'Calm and kind.',
  price: null,
  body: null,
  phone: null,
  socialMedia: null,
};
const posted: Extract<ListingEvent, { type: 'AdPosted' }> = {
  type: 'AdPosted',
  data: { accountId: 'anna', adId: 'ad-1', clientId: 'c1', ...fields, photos: ['m1'], video: null, isDemo: false },
};
const ids = { accountId: 'anna', adId: 'ad-1' };
const bumped: ListingEvent = { type: 'AdBumped', data: ids };
const deleted: ListingEvent = { type: 'AdDeleted', data: { ...ids, reason: null } };

describe('posting', () => {
  const posting =
    (changes: Partial<Parameters<typeof postAd>[0]> = {}) =>
    (state: Parameters<typeof postAd>[1]) =>
      postAd(
        { poster, clientId: 'c1', fields, photos: ['m1'], video: null, isDemo: false, ...changes },
        state,
        context,
      );

  test('puts up the ad under an id of the server', () => {
    given().when(posting()).then(posted);
  });
  test('with a video carries its media id', () => {
    given()
      .when(posting({ video: 'v1' }))
      .then({ ...posted, data: { ...posted.data, video: 'v1' } });
  });
  test('the same client id again is the same request', () => {
    given(posted).when(posting()).then();
  });
  test('a second ad is refused', () => {
    given(posted)
      .when(posting({ clientId: 'c2' }))
      .thenRefused('ONE_ACTIVE_AD', {
        message: 'You can only have one active ad. Please delete your existing ad first or edit it instead.',
      });
  });
  test('a second ad without a client id is refused', () => {
    given(posted)
      .when(posting({ clientId: null }))
      .thenRefused('ONE_ACTIVE_AD');
  });
  test('takes the place of a demo ad, which does not count', () => {
    const demo: ListingEvent = { ...posted, data: { ...posted.data, adId: 'demo', clientId: 'demo-1', isDemo: true } };
    given(demo)
      .when(posting())
      .then({ type: 'AdDeleted', data: { accountId: 'anna', adId: 'demo', reason: null } }, posted);
    given(demo)
      .when(posting({ clientId: 'demo-1', isDemo: true }))
      .then();
    given(demo)
      .when(posting({ clientId: 'demo-2', isDemo: true }))
      .thenRefused('ONE_ACTIVE_AD');
  });
  test('is possible again once the ad is deleted', () => {
    given(posted, deleted).when(posting()).then(posted);
  });
  test('is for providers', () => {
    given()
      .when(posting({ poster: { ...poster, isProvider: false } }))
      .thenRefused('ONLY_PROVIDERS_POST');
  });
  test('needs a verified e-mail address', () => {
    given()
      .when(posting({ poster: { ...poster, emailVerified: false } }))
      .thenRefused('VERIFICATION_REQUIRED');
  });
});

describe('updating', () => {
  const updating =
    (changes: Parameters<typeof updateAd>[0]['changes'], more: Partial<Parameters<typeof updateAd>[0]> = {}) =>
    (state: Parameters<typeof updateAd>[1]) =>
      updateAd({ poster, adId: 'ad-1', changes, photos: undefined, video: undefined, ...more }, state);

  test('records only what differs', () => {
    given(posted)
      .when(updating({ title: 'New title', city: 'Las Vegas', state: 'NV' }))
      .then({ type: 'AdUpdated', data: { ...ids, title: 'New title' } });
  });
  test('records nothing when nothing differs', () => {
    given(posted)
      .when(updating({ ...fields }, { photos: ['m1'], video: null }))
      .then();
  });
  test('takes a field away with null, and leaves absent fields alone', () => {
    const { state } = given(
      posted,
      { type: 'AdUpdated', data: { ...ids, phone: '+1 555 0100' } },
      { type: 'AdUpdated', data: { ...ids, phone: null } },
    );
    expect(state.ad).toMatchObject({ phone: null, title: 'Good company' });
  });
  test('replaces the photos', () => {
    given(posted)
      .when(updating({}, { photos: ['m2', 'm1'] }))
      .then({ type: 'AdUpdated', data: { ...ids, photos: ['m2', 'm1'] } });
  });
  test('adds, replaces and takes away the video', () => {
    const withVideo: ListingEvent = { type: 'AdUpdated', data: { ...ids, video: 'v1' } };
    given(posted)
      .when(updating({}, { video: 'v1' }))
      .then(withVideo);
    given(posted, withVideo)
      .when(updating({}, { video: 'v2' }))
      .then({ type: 'AdUpdated', data: { ...ids, video: 'v2' } });
    given(posted, withVideo)
      .when(updating({}, { video: null }))
      .then({ type: 'AdUpdated', data: { ...ids, video: null } });
    given(posted, withVideo)
      .when(updating({ title: 'Good company' }))
      .then();
  });
  test('refuses a city that is not in the state', () => {
    given(posted)
      .when(updating({ state: 'NY' }))
      .thenRefused('INVALID_FIELDS');
  });
  test('moves to another place', () => {
    given(posted)
      .when(updating({ state: 'NY', city: 'Albany' }))
      .then({ type: 'AdUpdated', data: { ...ids, state: 'NY', city: 'Albany' } });
  });
  test('never moves the ad up', () => {
    const { state } = given(posted, { at: at(60_000), event: { type: 'AdUpdated', data: { ...ids, title: 'x' } } });
    expect(state.ad?.lastBumpedAt).toBe(AT);
  });
  test('is for the owner', () => {
    given()
      .when(updating({ title: 'x' }))
      .thenRefused('ONLY_OWNER');
  });
  test('of a deleted ad is refused', () => {
    given(posted, deleted)
      .when(updating({ title: 'x' }))
      .thenRefused('AD_NOT_FOUND');
  });
});

describe('bumping', () => {
  const bumping =
    (offset_ms: number, who = poster) =>
    (state: Parameters<typeof bumpAd>[1]) =>
      bumpAd({ poster: who, adId: 'ad-1' }, state, { ...context, now: at(offset_ms) });

  test('moves the ad up after 30 minutes', () => {
    given(posted).when(bumping(BUMP_COOLDOWN_ms)).then(bumped);
  });
  test('is refused a millisecond earlier, with the time left', () => {
    given(posted)
      .when(bumping(BUMP_COOLDOWN_ms - 1))
      .thenRefused('BUMP_COOLDOWN', { retryAfter_s: 1, message: 'You can bump your ad again in 1 s' });
  });
  test('tells minutes and seconds', () => {
    given(posted)
      .when(bumping(90_000))
      .thenRefused('BUMP_COOLDOWN', { message: 'You can bump your ad again in 28 min 30 s', retryAfter_s: 1710 });
  });
  test('starts the wait anew', () => {
    given(posted, { at: at(BUMP_COOLDOWN_ms), event: bumped })
      .when(bumping(BUMP_COOLDOWN_ms + 1000))
      .thenRefused('BUMP_COOLDOWN');
  });
  test('is for providers', () => {
    given(posted)
      .when(bumping(BUMP_COOLDOWN_ms, { ...poster, isProvider: false }))
      .thenRefused('ONLY_PROVIDERS_BUMP', { message: 'Only providers can bump ads' });
  });
  test('is for the owner', () => {
    given().when(bumping(BUMP_COOLDOWN_ms)).thenRefused('ONLY_OWNER');
  });
});

describe('deleting', () => {
  const deleting = (state: Parameters<typeof deleteAd>[1]) => deleteAd({ poster, adId: 'ad-1' }, state);

  test('takes the ad down', () => {
    given(posted).when(deleting).then(deleted);
  });
  test('twice is refused as gone', () => {
    given(posted, deleted).when(deleting).thenRefused('AD_NOT_FOUND');
  });
  test('is for the owner', () => {
    given().when(deleting).thenRefused('ONLY_OWNER');
  });
});

describe('removing as an admin', () => {
  const removing = (state: Parameters<typeof removeAdByAdmin>[2]) => removeAdByAdmin('ad-1', 'anna', state);

  test('takes the ad down', () => {
    given(posted).when(removing).then(deleted);
  });
  test('twice is refused', () => {
    given(posted, deleted).when(removing).thenRefused('AD_NOT_FOUND', { message: 'Ad not found' });
  });
  test('leaves the next ad of the same provider alone', () => {
    const next: ListingEvent = { ...posted, data: { ...posted.data, adId: 'ad-2' } };
    given(posted, deleted, next).when(removing).thenRefused('AD_NOT_FOUND');
  });
});

describe('featuring', () => {
  const featuring = (isFeatured: boolean) => (state: Parameters<typeof featureAd>[2]) =>
    featureAd({ adId: 'ad-1', isFeatured }, 'anna', state);
  const featured: ListingEvent = { type: 'AdFeatured', data: { ...ids, isFeatured: true } };
  const unfeatured: ListingEvent = { type: 'AdFeatured', data: { ...ids, isFeatured: false } };

  test('puts the ad among the featured ones', () => {
    given(posted).when(featuring(true)).then(featured);
  });
  test('twice records it once', () => {
    given(posted, featured).when(featuring(true)).then();
  });
  test('takes it out again', () => {
    given(posted, featured).when(featuring(false)).then(unfeatured);
    given(posted, featured, unfeatured).when(featuring(false)).then();
  });
  test('ends with the ad: the next one is not featured', () => {
    expect(given(posted, featured, deleted, posted).state.ad?.isFeatured).toBe(false);
  });
  test('of a deleted ad is refused', () => {
    given(posted, deleted).when(featuring(true)).thenRefused('AD_NOT_FOUND');
  });
});

describe('reviewing', () => {
  const ben: Reviewer = { accountId: 'ben', isProvider: false, emailVerified: true };
  const words = { adId: 'ad-1', reviewId: 'r1', name: 'Ben', comment: 'Kind.', rating: 5 };
  const reviewed: ListingEvent = { type: 'AdReviewed', data: { accountId: 'anna', reviewerId: 'ben', ...words } };
  const reviewing =
    (changes: Partial<Parameters<typeof reviewAd>[0]> = {}) =>
    (state: Parameters<typeof reviewAd>[1]) =>
      reviewAd({ reviewer: ben, ...words, ...changes }, state, 'anna');

  test('adds a review', () => {
    given(posted).when(reviewing()).then(reviewed);
  });
  test('counts the same review once', () => {
    given(posted, reviewed).when(reviewing()).then();
  });
  test('is possible once per client and ad', () => {
    given(posted, reviewed)
      .when(reviewing({ reviewId: 'r2' }))
      .thenRefused('ALREADY_REVIEWED', { message: 'You have already reviewed this ad' });
  });
  test('is possible for several clients', () => {
    given(posted, reviewed)
      .when(reviewing({ reviewId: 'r2', reviewer: { ...ben, accountId: 'carl' } }))
      .then({ type: 'AdReviewed', data: { accountId: 'anna', reviewerId: 'carl', ...words, reviewId: 'r2' } });
  });
  test('is possible again for the next ad of the same provider', () => {
    const next: ListingEvent = { ...posted, data: { ...posted.data, adId: 'ad-2' } };
    given(posted, reviewed, deleted, next)
      .when(reviewing({ adId: 'ad-2', reviewId: 'r2' }))
      .then({
        type: 'AdReviewed',
        data: { accountId: 'anna', reviewerId: 'ben', ...words, adId: 'ad-2', reviewId: 'r2' },
      });
  });
  test('is not for the owner', () => {
    given(posted)
      .when(reviewing({ reviewer: { ...ben, accountId: 'anna', isProvider: true } }))
      .thenRefused('OWN_AD_REVIEW', { message: 'You cannot review your own ad' });
  });
  test('is not for providers', () => {
    given(posted)
      .when(reviewing({ reviewer: { ...ben, isProvider: true } }))
      .thenRefused('ONLY_CLIENTS_REVIEW');
  });
  test('needs a verified e-mail address', () => {
    given(posted)
      .when(reviewing({ reviewer: { ...ben, emailVerified: false } }))
      .thenRefused('ONLY_CLIENTS_REVIEW');
  });
  test('of a demo ad may be nobody’s, several times', () => {
    const demo = reviewing({ reviewer: null });
    given(posted)
      .when(demo)
      .then({ type: 'AdReviewed', data: { accountId: 'anna', reviewerId: null, ...words } });
    given(posted, { type: 'AdReviewed', data: { accountId: 'anna', reviewerId: null, ...words } })
      .when(reviewing({ reviewer: null, reviewId: 'r2' }))
      .then({ type: 'AdReviewed', data: { accountId: 'anna', reviewerId: null, ...words, reviewId: 'r2' } });
  });
  test('of a deleted ad is refused', () => {
    given(posted, deleted).when(reviewing()).thenRefused('AD_NOT_FOUND');
  });
});
