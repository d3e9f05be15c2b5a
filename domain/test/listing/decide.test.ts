import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { BUMP_COOLDOWN_ms } from '../../src/constants.ts';
import { EMPTY_OPTIONAL_FIELDS } from '../../src/listing/ad-fields.ts';
import type { NewReviewer, Poster } from '../../src/listing/commands.ts';
import {
  bumpAd,
  deleteAd,
  deleteReview,
  editReview,
  featureAd,
  postAd,
  removeAdByAdmin,
  removeReview,
  reviewAd,
  updateAd,
} from '../../src/listing/decide.ts';
import { toCaseId } from '../../src/moderation/subject.ts';
import type { ListingEvent } from '../../src/listing/events.ts';
import type { ListingState } from '../../src/listing/slot.ts';
import { listing } from '../../src/listing/state.ts';
import { AT, givenAggregate } from '../given.ts';

const given = givenAggregate(listing);
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
  ...EMPTY_OPTIONAL_FIELDS,
};
const posted: Extract<ListingEvent, { type: 'AdPosted' }> = {
  type: 'AdPosted',
  data: { accountId: 'anna', adId: 'ad-1', clientId: 'c1', ...fields, photos: ['m1'], video: null, isDemo: false },
};
const ids = { accountId: 'anna', adId: 'ad-1' };
const bumped: ListingEvent = { type: 'AdBumped', data: ids };
const deleted: ListingEvent = { type: 'AdDeleted', data: { ...ids, reason: null } };

describe('posting an ad', () => {
  const posting =
    (changes: Partial<Parameters<typeof postAd>[0]> = {}) =>
    (state: Parameters<typeof postAd>[1]) =>
      postAd(
        { poster, clientId: 'c1', fields, photos: ['m1'], video: null, isDemo: false, ...changes },
        state,
        context,
      );

  test('posts the ad with an id from the server', () => {
    given().when(posting()).then(posted);
  });
  test('records the media id of a video', () => {
    given()
      .when(posting({ video: 'v1' }))
      .then({ ...posted, data: { ...posted.data, video: 'v1' } });
  });
  test('treats a repeated client id as the same request', () => {
    given(posted).when(posting()).then();
  });
  test('rejects a second ad', () => {
    given(posted)
      .when(posting({ clientId: 'c2' }))
      .thenThrows('ONE_ACTIVE_AD', {
        message: 'You can only have one active ad. Please delete your existing ad first or edit it instead.',
      });
  });
  test('rejects a second ad without a client id', () => {
    given(posted)
      .when(posting({ clientId: null }))
      .thenThrows('ONE_ACTIVE_AD');
  });
  test('continues the deleted ad with its last bump, if the same person has posted it', () => {
    const weighed = { ratingSum: 0, weightSum: 0 };
    const earlier = { adId: 'ad-1', createdAt: AT, lastBumpedAt: at(60_000), ratingSum: 0, reviewCount: 0, weighed };
    const history = [posted, { at: at(60_000), event: bumped }, deleted] as const;
    const next = given(...history).when(posting({ registeredAt: at(-1) }));
    next.then({ ...posted, data: { ...posted.data, earlier } });
    given(...history, { at: at(90_000), event: { ...posted, data: { ...posted.data, adId: 'ad-2', earlier } } })
      .when((state, { newId }) => bumpAd({ poster, adId: 'ad-2' }, state, { newId, now: at(120_000) }))
      .thenThrows('BUMP_COOLDOWN');
    given(...history)
      .when(posting({ registeredAt: at(1) }))
      .then(posted);
    given(...history)
      .when(posting({ registeredAt: at(-1), isDemo: true }))
      .then({ ...posted, data: { ...posted.data, isDemo: true } });
  });
  test('continues the rating of the deleted ad, without reviews that a moderator has removed', () => {
    const review = (reviewId: string, reviewerId: string, rating: number): ListingEvent => ({
      type: 'AdReviewed',
      data: { accountId: 'anna', adId: 'ad-1', reviewId, reviewerId, name: 'Ben', comment: 'Kind.', rating, weight: 4 },
    });
    const removal: ListingEvent = {
      type: 'AdReviewRemoved',
      data: { ...ids, reviewId: 'r2', reviewerId: 'carl', rating: 1, weight: 4, reason: 'It names a street.' },
    };
    const reviews = [review('r1', 'ben', 5), review('r2', 'carl', 1), review('r3', 'dora', 4)];
    const { state } = given(posted, ...reviews, removal, deleted);
    expect(posting({ registeredAt: at(-1) })(state)).toMatchObject([
      { type: 'AdPosted', data: { earlier: { ratingSum: 9, reviewCount: 2 } } },
    ]);
  });
  test('replaces a demo ad, which does not count', () => {
    const demo: ListingEvent = { ...posted, data: { ...posted.data, adId: 'demo', clientId: 'demo-1', isDemo: true } };
    given(demo)
      .when(posting())
      .then({ type: 'AdDeleted', data: { accountId: 'anna', adId: 'demo', reason: null } }, posted);
    given(demo)
      .when(posting({ clientId: 'demo-1', isDemo: true }))
      .then();
    given(demo)
      .when(posting({ clientId: 'demo-2', isDemo: true }))
      .thenThrows('ONE_ACTIVE_AD');
  });
  test('is possible again after the ad is deleted', () => {
    given(posted, deleted).when(posting()).then(posted);
  });
  test('requires a provider', () => {
    given()
      .when(posting({ poster: { ...poster, isProvider: false } }))
      .thenThrows('ONLY_PROVIDERS_POST', { message: 'Only providers can post ads' });
  });
  test('requires a verified e-mail address', () => {
    given()
      .when(posting({ poster: { ...poster, emailVerified: false } }))
      .thenThrows('VERIFICATION_REQUIRED', { message: 'Please verify your e-mail first' });
  });
});

describe('updating an ad', () => {
  const updating =
    (changes: Parameters<typeof updateAd>[0]['changes'], more: Partial<Parameters<typeof updateAd>[0]> = {}) =>
    (state: Parameters<typeof updateAd>[1], context: DecisionContext) =>
      updateAd({ poster, adId: 'ad-1', changes, photos: undefined, video: undefined, ...more }, state, context);

  test('records only the fields that differ', () => {
    given(posted)
      .when(updating({ title: 'New title', city: 'Las Vegas', state: 'NV' }))
      .then({ type: 'AdUpdated', data: { ...ids, title: 'New title' } });
  });
  test('records nothing if nothing differs', () => {
    given(posted)
      .when(updating({ ...fields }, { photos: ['m1'], video: null }))
      .then();
  });
  test('removes a field with null, and keeps absent fields', () => {
    const { state } = given(
      posted,
      { type: 'AdUpdated', data: { ...ids, phone: '+1 555 0100' } },
      { type: 'AdUpdated', data: { ...ids, phone: null } },
    );
    expect(state.ad).toMatchObject({ phone: null, title: 'Good company' });
  });
  test('checks a phone number only if it changes', () => {
    const older: ListingEvent = { type: 'AdUpdated', data: { ...ids, phone: '555 0100' } };
    given(posted, older)
      .when(updating({ phone: '555 0100', title: 'New title' }))
      .then({ type: 'AdUpdated', data: { ...ids, title: 'New title' } });
    given(posted, older)
      .when(updating({ phone: '702 555-0123' }))
      .then({ type: 'AdUpdated', data: { ...ids, phone: '+17025550123' } });
    given(posted, older)
      .when(updating({ phone: '555 0101' }))
      .thenThrows('INVALID_FIELDS');
  });
  test('replaces the photos', () => {
    given(posted)
      .when(updating({}, { photos: ['m2', 'm1'] }))
      .then({ type: 'AdUpdated', data: { ...ids, photos: ['m2', 'm1'] } });
  });
  test('adds, replaces and removes the video', () => {
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
  test('rejects a city that is not in the state', () => {
    given(posted)
      .when(updating({ state: 'NY' }))
      .thenThrows('INVALID_FIELDS');
  });
  test('moves the ad to another place', () => {
    given(posted)
      .when(updating({ state: 'NY', city: 'Albany' }))
      .then({ type: 'AdUpdated', data: { ...ids, state: 'NY', city: 'Albany' } });
  });
  test('never moves the ad up', () => {
    const { state } = given(posted, { at: at(60_000), event: { type: 'AdUpdated', data: { ...ids, title: 'x' } } });
    expect(state.ad?.lastBumpedAt).toBe(AT);
  });
  test('requires the owner', () => {
    given()
      .when(updating({ title: 'x' }))
      .thenThrows('ONLY_OWNER');
  });
  test('is rejected for a deleted ad', () => {
    given(posted, deleted)
      .when(updating({ title: 'x' }))
      .thenThrows('AD_NOT_FOUND');
  });
});

describe('bumping an ad', () => {
  const bumping =
    (offset_ms: number, who = poster) =>
    (state: Parameters<typeof bumpAd>[1]) =>
      bumpAd({ poster: who, adId: 'ad-1' }, state, { ...context, now: at(offset_ms) });

  test('moves the ad up after 30 minutes', () => {
    given(posted).when(bumping(BUMP_COOLDOWN_ms)).then(bumped);
  });
  test('is rejected a millisecond earlier, with the remaining time', () => {
    given(posted)
      .when(bumping(BUMP_COOLDOWN_ms - 1))
      .thenThrows('BUMP_COOLDOWN', { retryAfter_s: 1, message: 'You can bump your ad again in 1 s' });
  });
  test('reports the remaining minutes and seconds', () => {
    given(posted)
      .when(bumping(90_000))
      .thenThrows('BUMP_COOLDOWN', { message: 'You can bump your ad again in 28 min 30 s', retryAfter_s: 1710 });
  });
  test('restarts the cooldown', () => {
    given(posted, { at: at(BUMP_COOLDOWN_ms), event: bumped })
      .when(bumping(BUMP_COOLDOWN_ms + 1000))
      .thenThrows('BUMP_COOLDOWN');
  });
  test('requires a provider', () => {
    given(posted)
      .when(bumping(BUMP_COOLDOWN_ms, { ...poster, isProvider: false }))
      .thenThrows('ONLY_PROVIDERS_BUMP', { message: 'Only providers can bump ads' });
  });
  test('requires the owner', () => {
    given().when(bumping(BUMP_COOLDOWN_ms)).thenThrows('ONLY_OWNER');
  });
});

describe('deleting an ad', () => {
  const deleting = (state: Parameters<typeof deleteAd>[1], context: DecisionContext) =>
    deleteAd({ poster, adId: 'ad-1' }, state, context);

  test('deletes the ad', () => {
    given(posted).when(deleting).then(deleted);
  });
  test('is rejected the second time', () => {
    given(posted, deleted).when(deleting).thenThrows('AD_NOT_FOUND');
  });
  test('requires the owner', () => {
    given().when(deleting).thenThrows('ONLY_OWNER');
  });
});

describe('removing an ad as an admin', () => {
  const removing = (state: ListingState, context: DecisionContext) =>
    removeAdByAdmin({ adId: 'ad-1', accountId: 'anna', reason: null }, state, context);

  test('removes the ad', () => {
    given(posted).when(removing).then(deleted);
  });
  test('is rejected the second time', () => {
    given(posted, deleted).when(removing).thenThrows('AD_NOT_FOUND', { message: 'Ad not found' });
  });
  test('does not affect the next ad of the same provider', () => {
    const next: ListingEvent = { ...posted, data: { ...posted.data, adId: 'ad-2' } };
    given(posted, deleted, next).when(removing).thenThrows('AD_NOT_FOUND');
  });
});

describe('featuring an ad', () => {
  const featuring = (isFeatured: boolean) => (state: ListingState, context: DecisionContext) =>
    featureAd({ adId: 'ad-1', isFeatured, accountId: 'anna' }, state, context);
  const featured: ListingEvent = { type: 'AdFeatured', data: { ...ids, isFeatured: true } };
  const unfeatured: ListingEvent = { type: 'AdFeatured', data: { ...ids, isFeatured: false } };

  test('adds the ad to the featured ads', () => {
    given(posted).when(featuring(true)).then(featured);
  });
  test('records a repeated request once', () => {
    given(posted, featured).when(featuring(true)).then();
  });
  test('removes the ad from the featured ads', () => {
    given(posted, featured).when(featuring(false)).then(unfeatured);
    given(posted, featured, unfeatured).when(featuring(false)).then();
  });
  test('does not carry over to the next ad', () => {
    expect(given(posted, featured, deleted, posted).state.ad?.isFeatured).toBe(false);
  });
  test('is rejected for a deleted ad', () => {
    given(posted, deleted).when(featuring(true)).thenThrows('AD_NOT_FOUND');
  });
});

describe('reviewing an ad', () => {
  const ben: NewReviewer = {
    accountId: 'ben',
    registeredAt: '2025-01-01T00:00:00.000Z',
    isProvider: false,
    emailVerified: true,
    writesFrom: null,
    isRestricted: false,
  };
  const minutesLater = (minutes: number) => at(minutes * 60_000);
  const words = { adId: 'ad-1', reviewId: 'r1', name: 'Ben', comment: 'Kind.', rating: 5 };
  const reviewed: ListingEvent = {
    type: 'AdReviewed',
    data: { accountId: 'anna', reviewerId: 'ben', ...words, weight: 4 },
  };
  const reviewing =
    (changes: Partial<Parameters<typeof reviewAd>[0]> = {}) =>
    (state: ListingState, context: DecisionContext) =>
      reviewAd({ reviewer: ben, ...words, ...changes, ownerAccountId: 'anna' }, state, context);

  test('adds a review', () => {
    given(posted).when(reviewing()).then(reviewed);
  });
  test('counts a repeated review once', () => {
    given(posted, reviewed).when(reviewing()).then();
  });
  test('is possible once per client and ad', () => {
    given(posted, reviewed)
      .when(reviewing({ reviewId: 'r2' }))
      .thenThrows('ALREADY_REVIEWED', { message: 'You have already reviewed this ad' });
  });
  test('is possible for several clients', () => {
    given(posted, reviewed)
      .when(reviewing({ reviewId: 'r2', reviewer: { ...ben, accountId: 'carl' } }))
      .then({
        type: 'AdReviewed',
        data: { accountId: 'anna', reviewerId: 'carl', ...words, reviewId: 'r2', weight: 4 },
      });
  });
  test('is possible again for the next ad of the same provider', () => {
    const next: ListingEvent = { ...posted, data: { ...posted.data, adId: 'ad-2' } };
    given(posted, reviewed, deleted, next)
      .when(reviewing({ adId: 'ad-2', reviewId: 'r2' }))
      .then({
        type: 'AdReviewed',
        data: { accountId: 'anna', reviewerId: 'ben', ...words, adId: 'ad-2', reviewId: 'r2', weight: 4 },
      });
  });
  test('is rejected for the owner', () => {
    given(posted)
      .when(reviewing({ reviewer: { ...ben, accountId: 'anna', isProvider: true } }))
      .thenThrows('OWN_AD_REVIEW', { message: 'You cannot review your own ad' });
  });
  test('is rejected for providers', () => {
    given(posted)
      .when(reviewing({ reviewer: { ...ben, isProvider: true } }))
      .thenThrows('ONLY_CLIENTS_REVIEW', { message: 'Only clients with a verified e-mail can review ads' });
  });
  test('requires a verified e-mail address', () => {
    given(posted)
      .when(reviewing({ reviewer: { ...ben, emailVerified: false } }))
      .thenThrows('ONLY_CLIENTS_REVIEW');
  });
  test('accepts several reviews of a demo ad without an author', () => {
    const demo = reviewing({ reviewer: null });
    given(posted)
      .when(demo)
      .then({ type: 'AdReviewed', data: { accountId: 'anna', reviewerId: null, ...words } });
    given(posted, { type: 'AdReviewed', data: { accountId: 'anna', reviewerId: null, ...words } })
      .when(reviewing({ reviewer: null, reviewId: 'r2' }))
      .then({ type: 'AdReviewed', data: { accountId: 'anna', reviewerId: null, ...words, reviewId: 'r2' } });
  });
  test('waits until the account may write', () => {
    const early = { ...ben, writesFrom: minutesLater(10) };
    const after = (minutes: number) => (state: ListingState) =>
      reviewing({ reviewer: early })(state, { now: minutesLater(minutes), newId: () => 'id' });
    given(posted).when(after(9.5)).thenThrows('ACCOUNT_TOO_NEW', { retryAfter_s: 30 });
    given(posted).when(after(10)).then(reviewed);
  });
  test.each([
    ['a new account', 6.9, false, 1],
    ['an account of a week', 7, false, 2],
    ['an account of not quite 90 days', 89.9, false, 2],
    ['an account of 90 days', 90, false, 4],
    ['an old account whose content a moderator restricted', 900, true, 1],
  ])('of %s has its weight', (_, age_days, isRestricted, weight) => {
    const registeredAt = minutesLater(-age_days * 24 * 60);
    given(posted)
      .when((state) =>
        reviewing({ reviewer: { ...ben, registeredAt, isRestricted } })(state, {
          now: minutesLater(0),
          newId: () => 'id',
        }),
      )
      .then({ ...reviewed, data: { ...reviewed.data, weight } });
  });
  describe('of a new account', () => {
    const by = (name: string): ListingEvent => ({
      type: 'AdReviewed',
      data: { accountId: 'anna', reviewerId: name, ...words, reviewId: name, weight: 1 },
    });
    const newcomer = { ...ben, accountId: 'zoe', registeredAt: minutesLater(-60) };
    const third = (state: ListingState) =>
      reviewing({ reviewer: newcomer, reviewId: 'zoe' })(state, { now: minutesLater(0), newId: () => 'id' });
    const waveOf = (...events: readonly ListingEvent[]) => {
      const state = events.reduce((before, event) => listing.evolve(before, event, minutesLater(-30)), listing.initial);
      const [event] = third(state);
      return event?.type === 'AdReviewed' ? event.data.wave : null;
    };
    test('calls for moderators with the third and the sixth one in a week', () => {
      expect(waveOf(posted)).toBeUndefined();
      expect(waveOf(posted, by('a'))).toBeUndefined();
      expect(waveOf(posted, by('a'), by('b'))).toBe(3);
      expect(waveOf(posted, by('a'), by('b'), by('c'))).toBeUndefined();
      expect(waveOf(posted, ...['a', 'b', 'c', 'd', 'e'].map(by))).toBe(6);
    });
    test('does not count deleted reviews and those of old accounts', () => {
      const gone: ListingEvent = {
        type: 'AdReviewDeleted',
        data: { accountId: 'anna', adId: 'ad-1', reviewerId: 'a', reviewId: 'a', rating: 5, weight: 1 },
      };
      expect(waveOf(posted, by('a'), by('b'), gone)).toBeUndefined();
      expect(waveOf(posted, by('a'), reviewed)).toBeUndefined();
    });
  });
  test('is rejected for a deleted ad', () => {
    given(posted, deleted).when(reviewing()).thenThrows('AD_NOT_FOUND');
  });

  const ids = { accountId: 'anna', adId: 'ad-1', reviewerId: 'ben', reviewId: 'r1' };
  const editedTo = { name: 'Ben', comment: 'Kind, but late.', rating: 3 };
  const edited: ListingEvent = { type: 'AdReviewEdited', data: { ...ids, ...editedTo, previousRating: 5, weight: 4 } };
  const reviewDeleted: ListingEvent = { type: 'AdReviewDeleted', data: { ...ids, rating: 5, weight: 4 } };
  const removed = (rating: number | null): ListingEvent => ({
    type: 'AdReviewRemoved',
    data: { ...ids, rating, weight: 4, reason: 'It names a street.' },
  });
  /** The new owner of the id of a closed account. */
  const successor: NewReviewer = { ...ben, registeredAt: '2030-01-01T00:00:00.000Z' };
  const own = { ownerAccountId: 'anna', adId: 'ad-1', reviewId: 'r1', reviewer: ben };
  const editing =
    (changes: Partial<Parameters<typeof editReview>[0]> = {}) =>
    (state: ListingState, context: DecisionContext) =>
      editReview({ ...own, ...editedTo, name: null, ...changes }, state, context);
  const deleting =
    (changes: Partial<Parameters<typeof deleteReview>[0]> = {}) =>
    (state: ListingState, context: DecisionContext) =>
      deleteReview({ ...own, ...changes }, state, context);
  const removing =
    (moderatorId = 'mia') =>
    (state: ListingState, context: DecisionContext) =>
      removeReview(
        { ownerAccountId: 'anna', adId: 'ad-1', reviewId: 'r1', moderatorId, reason: 'It names a street.' },
        state,
        context,
      );
  const hidden: ListingEvent = {
    type: 'AdHidden',
    data: { accountId: 'anna', adId: 'ad-1', by: 'report', caseId: toCaseId({ kind: 'ad', id: 'ad-1' }) },
  };

  test('can be changed by its author, and records the previous rating', () => {
    given(posted, reviewed).when(editing()).then(edited);
    given(posted, reviewed, edited)
      .when(editing({ rating: 1, name: 'B.' }))
      .then({
        type: 'AdReviewEdited',
        data: { ...ids, ...editedTo, name: 'B.', rating: 1, previousRating: 3, weight: 4 },
      });
  });
  test('is not changed by an edit with the same values', () => {
    given(posted, reviewed, edited).when(editing()).then();
    for (const change of [{ name: 'B.' }, { comment: 'Kind.' }, { rating: 4 }])
      given(posted, reviewed, edited)
        .when(editing(change))
        .then({
          type: 'AdReviewEdited',
          data: { ...ids, ...editedTo, ...change, previousRating: editedTo.rating, weight: 4 },
        });
  });
  test('can be deleted by its author, who can then write another one', () => {
    given(posted, reviewed).when(deleting()).then(reviewDeleted);
    given(posted, reviewed, reviewDeleted).when(deleting()).thenThrows('REVIEW_NOT_FOUND');
    given(posted, reviewed, reviewDeleted).when(editing()).thenThrows('REVIEW_NOT_FOUND');
    given(posted, reviewed, reviewDeleted)
      .when(reviewing({ reviewId: 'r2' }))
      .then({
        type: 'AdReviewed',
        data: { accountId: 'anna', reviewerId: 'ben', ...words, reviewId: 'r2', weight: 4 },
      });
  });
  test('has its current rating when it is deleted', () => {
    given(posted, reviewed, edited)
      .when(deleting())
      .then({ type: 'AdReviewDeleted', data: { ...ids, rating: 3, weight: 4 } });
  });
  test('can be changed and deleted by its author only', () => {
    const carl = { ...ben, accountId: 'carl' };
    for (const reviewer of [carl, successor, { ...ben, accountId: 'anna' }]) {
      given(posted, reviewed).when(editing({ reviewer })).thenThrows('ONLY_REVIEWER');
      given(posted, reviewed).when(deleting({ reviewer })).thenThrows('ONLY_REVIEWER');
    }
  });
  test('cannot be changed or deleted while a case hides the ad, and after the ad is deleted', () => {
    for (const event of [hidden, deleted]) {
      given(posted, reviewed, event).when(editing()).thenThrows('AD_NOT_FOUND');
      given(posted, reviewed, event).when(deleting()).thenThrows('AD_NOT_FOUND');
    }
  });
  test('of a closed account does not count for a new account with the same id', () => {
    given(posted, reviewed)
      .when(reviewing({ reviewId: 'r2', reviewer: successor }))
      .then({
        type: 'AdReviewed',
        data: { accountId: 'anna', reviewerId: 'ben', ...words, reviewId: 'r2', weight: 1 },
      });
  });
  test('can be removed by a moderator, also while the ad is hidden', () => {
    given(posted, reviewed).when(removing()).then(removed(5));
    given(posted, reviewed, hidden).when(removing()).then(removed(5));
    given(posted, reviewed, edited).when(removing()).then(removed(3));
    given(posted, reviewed, removed(5)).when(removing()).then();
    given(posted).when(removing()).thenThrows('REVIEW_NOT_FOUND');
  });
  test('cannot be removed by a moderator who owns the ad or wrote the review', () => {
    for (const id of ['anna', 'ben']) given(posted, reviewed).when(removing(id)).thenThrows('OWN_CONTENT');
  });
  test('that a moderator has removed cannot be changed, deleted or replaced by its author', () => {
    const givenRemoved = () => given(posted, reviewed, removed(5));
    givenRemoved().when(editing()).thenThrows('REVIEW_REMOVED');
    givenRemoved().when(deleting()).thenThrows('REVIEW_REMOVED');
    givenRemoved()
      .when(reviewing({ reviewId: 'r2' }))
      .thenThrows('REVIEW_REMOVED', { message: 'A moderator has removed your review' });
  });
  test('does not evade its removal if its author deletes it first', () => {
    given(posted, reviewed, reviewDeleted).when(removing()).then(removed(null));
    given(posted, reviewed, reviewDeleted, removed(null))
      .when(reviewing({ reviewId: 'r2' }))
      .thenThrows('REVIEW_REMOVED');
  });
});
