import { describe, expect, test } from 'vitest';
import { BUMP_COOLDOWN_ms } from '../../src/constants.ts';
import type { Poster } from '../../src/listing/commands.ts';
import { bumpAd, deleteAd, postAd, reviewAd, updateAd } from '../../src/listing/decide.ts';
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
const posted: ListingEvent = { type: 'AdPosted', data: { accountId: 'anna', adId: 'ad-1', clientId: 'c1', ...fields, photos: ['m1'], isDemo: false } };
const ids = { accountId: 'anna', adId: 'ad-1' };
const bumped: ListingEvent = { type: 'AdBumped', data: ids };
const deleted: ListingEvent = { type: 'AdDeleted', data: ids };

describe('posting', () => {
  const posting = (changes: Partial<Parameters<typeof postAd>[0]> = {}) => (state: Parameters<typeof postAd>[1]) =>
    postAd({ poster, clientId: 'c1', fields, photos: ['m1'], isDemo: false, ...changes }, state, context);

  test('puts up the ad under an id of the server', () => {
    given().when(posting()).then(posted);
  });
  test('the same client id again is the same request', () => {
    given(posted).when(posting()).then();
  });
  test('a second ad is refused', () => {
    given(posted).when(posting({ clientId: 'c2' })).thenRefused('ONE_ACTIVE_AD', {
      message: 'You can only have one active ad. Please delete your existing ad first or edit it instead.',
    });
  });
  test('a second ad without a client id is refused', () => {
    given(posted).when(posting({ clientId: null })).thenRefused('ONE_ACTIVE_AD');
  });
  test('is possible again once the ad is deleted', () => {
    given(posted, deleted).when(posting()).then(posted);
  });
  test('is for providers', () => {
    given().when(posting({ poster: { ...poster, isProvider: false } })).thenRefused('ONLY_PROVIDERS_POST');
  });
  test('needs a verified e-mail address', () => {
    given().when(posting({ poster: { ...poster, emailVerified: false } })).thenRefused('VERIFICATION_REQUIRED');
  });
});

describe('updating', () => {
  const updating = (changes: Parameters<typeof updateAd>[0]['changes'], more: Partial<Parameters<typeof updateAd>[0]> = {}) => (state: Parameters<typeof updateAd>[1]) =>
    updateAd({ poster, adId: 'ad-1', changes, photos: null, ...more }, state);

  test('records only what differs', () => {
    given(posted)
      .when(updating({ title: 'New title', city: 'Las Vegas', state: 'NV' }))
      .then({ type: 'AdUpdated', data: { ...ids, title: 'New title' } });
  });
  test('records nothing when nothing differs', () => {
    given(posted).when(updating({ ...fields }, { photos: ['m1'] })).then();
  });
  test('takes a field away with null, and leaves absent fields alone', () => {
    const { state } = given(posted, { type: 'AdUpdated', data: { ...ids, phone: '+1 555 0100' } }, { type: 'AdUpdated', data: { ...ids, phone: null } });
    expect(state.ad).toMatchObject({ phone: null, title: 'Good company' });
  });
  test('replaces the photos', () => {
    given(posted).when(updating({}, { photos: ['m2', 'm1'] })).then({ type: 'AdUpdated', data: { ...ids, photos: ['m2', 'm1'] } });
  });
  test('refuses a city that is not in the state', () => {
    given(posted).when(updating({ state: 'NY' })).thenRefused('INVALID_FIELDS');
  });
  test('moves to another place', () => {
    given(posted).when(updating({ state: 'NY', city: 'Albany' })).then({ type: 'AdUpdated', data: { ...ids, state: 'NY', city: 'Albany' } });
  });
  test('never moves the ad up', () => {
    const { state } = given(posted, { at: at(60_000), event: { type: 'AdUpdated', data: { ...ids, title: 'x' } } });
    expect(state.ad?.lastBumpedAt).toBe(AT);
  });
  test('is for the owner', () => {
    given().when(updating({ title: 'x' })).thenRefused('ONLY_OWNER');
  });
  test('of a deleted ad is refused', () => {
    given(posted, deleted).when(updating({ title: 'x' })).thenRefused('AD_NOT_FOUND');
  });
});

describe('bumping', () => {
  const bumping = (offset_ms: number, who = poster) => (state: Parameters<typeof bumpAd>[1]) => bumpAd({ poster: who, adId: 'ad-1' }, state, { ...context, now: at(offset_ms) });

  test('moves the ad up after 30 minutes', () => {
    given(posted).when(bumping(BUMP_COOLDOWN_ms)).then(bumped);
  });
  test('is refused a millisecond earlier, with the time left', () => {
    given(posted).when(bumping(BUMP_COOLDOWN_ms - 1)).thenRefused('BUMP_COOLDOWN', { retryAfter_s: 1, message: 'You can bump your ad again in 1 s' });
  });
  test('tells minutes and seconds', () => {
    given(posted).when(bumping(90_000)).thenRefused('BUMP_COOLDOWN', { message: 'You can bump your ad again in 28 min 30 s', retryAfter_s: 1710 });
  });
  test('starts the wait anew', () => {
    given(posted, { at: at(BUMP_COOLDOWN_ms), event: bumped })
      .when(bumping(BUMP_COOLDOWN_ms + 1000))
      .thenRefused('BUMP_COOLDOWN');
  });
  test('is for providers', () => {
    given(posted).when(bumping(BUMP_COOLDOWN_ms, { ...poster, isProvider: false })).thenRefused('ONLY_PROVIDERS_BUMP', { message: 'Only providers can bump ads' });
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

describe('reviewing', () => {
  const review = { adId: 'ad-1', reviewerId: 'ben', reviewId: 'r1', name: 'Ben', comment: 'Kind.', rating: 5 };
  const reviewed: ListingEvent = { type: 'AdReviewed', data: { accountId: 'anna', ...review } };

  test('adds a review', () => {
    given(posted).when((state) => reviewAd(review, state, 'anna')).then(reviewed);
  });
  test('counts the same review once', () => {
    given(posted, reviewed).when((state) => reviewAd(review, state, 'anna')).then();
  });
  test('of a deleted ad is refused', () => {
    given(posted, deleted).when((state) => reviewAd(review, state, 'anna')).thenRefused('AD_NOT_FOUND');
  });
});
