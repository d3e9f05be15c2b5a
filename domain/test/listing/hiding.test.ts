import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { bumpAd, hideAd, releaseAd, postAd, reviewAd, updateAd } from '../../src/listing/decide.ts';
import type { ListingEvent } from '../../src/listing/events.ts';
import { normalizePhone } from '../../src/listing/normalize-phone.ts';
import type { ListingState } from '../../src/listing/slot.ts';
import { isAdHidden, listing } from '../../src/listing/state.ts';
import { toCaseId, type CaseId } from '../../src/moderation/subject.ts';
import { givenAggregate as givenOf } from '../given.ts';
import { AD_FIELDS, adPosted } from './posted-ad.ts';

const given = givenOf(listing);
const AD_CASE = toCaseId({ kind: 'ad', id: 'a1' });
const MEDIA_CASE = toCaseId({ kind: 'media', id: 'm1' });
const ACCOUNT_CASE = toCaseId({ kind: 'account', id: 'anna' });
const ids = { accountId: 'anna', adId: 'a1' };
const posted = adPosted();
const hidden = (caseId = AD_CASE): ListingEvent => ({ type: 'AdHidden', data: { ...ids, by: 'report', caseId } });
const restored = (caseId = AD_CASE): ListingEvent => ({ type: 'AdRestored', data: { ...ids, caseId } });
const hiding = { adId: 'a1', by: 'report', caseId: AD_CASE } as const;

test('a case hides the named ad or the current ad, once', () => {
  given(posted)
    .decide(hideAd, { ...hiding, accountId: 'anna' })
    .then(hidden());
  given(posted)
    .decide(hideAd, { ...hiding, adId: null, accountId: 'anna' })
    .then(hidden());
  given(posted, hidden())
    .decide(hideAd, { ...hiding, accountId: 'anna' })
    .then();
  given(posted)
    .decide(hideAd, { ...hiding, adId: 'a0', accountId: 'anna' })
    .then();
  given()
    .decide(hideAd, { ...hiding, accountId: 'anna' })
    .then();
});

test('an ad is visible again after the last case releases it', () => {
  given(posted, hidden()).decide(releaseAd, { caseId: AD_CASE, accountId: 'anna' }).then(restored());
  given(posted, hidden(), hidden(ACCOUNT_CASE))
    .decide(releaseAd, { caseId: AD_CASE, accountId: 'anna' })
    .then({ type: 'AdHoldLifted', data: { ...ids, caseId: AD_CASE } });
  given(posted).decide(releaseAd, { caseId: AD_CASE, accountId: 'anna' }).then();
});

test('the content of an ad has the revision of the last event that changed it', () => {
  const changed: ListingEvent = { type: 'AdUpdated', data: { ...ids, title: 'Other' } };
  const deleted: ListingEvent = { type: 'AdDeleted', data: { ...ids, reason: null } };
  const revisionAfter = (...events: ListingEvent[]) => given(...events).state.ad?.contentRevision;
  expect(
    [[posted], [posted, hidden(), restored()], [posted, hidden(), changed, restored()], [posted, deleted, posted]].map(
      (events) => revisionAfter(...events),
    ),
  ).toEqual([0, 0, 2, 2]);
});

test('a hidden ad cannot be bumped or reviewed', () => {
  const poster = { accountId: 'anna', isProvider: true, emailVerified: true };
  const context = { now: '2026-02-01T00:00:00.000Z', newId: () => 'x' };
  const { state, when } = given(posted, hidden());
  expect(state.ad && isAdHidden(state.ad)).toBe(true);
  when((now) => bumpAd({ poster, adId: 'a1' }, now, context)).thenThrows('AD_HIDDEN');
  when((now, context) =>
    reviewAd(
      { adId: 'a1', reviewer: null, reviewId: 'r', name: 'C', comment: 'Well', rating: 5, ownerAccountId: 'anna' },
      now,
      context,
    ),
  ).thenThrows('AD_NOT_FOUND');
});

describe('a held ad that is deleted and posted again', () => {
  const OTHER = { title: 'Other', description: 'All new.' };
  const deleted: ListingEvent = { type: 'AdDeleted', data: { ...ids, reason: null } };
  const withPhoto: ListingEvent = { ...posted, data: { ...posted.data, photos: ['m1', 'm2'] } };
  const by = (who: 'report' | 'moderator', caseId: CaseId, adId = 'a1'): ListingEvent => ({
    type: 'AdHidden',
    data: { accountId: 'anna', adId, by: who, caseId },
  });
  const lifted = (caseId: CaseId): ListingEvent => ({ type: 'AdHoldLifted', data: { ...ids, caseId } });
  const repost =
    (changes: { title?: string; description?: string; photos?: string[]; video?: string } = {}) =>
    (state: ListingState) =>
      postAd(
        {
          poster: { accountId: 'anna', isProvider: true, emailVerified: true },
          clientId: null,
          fields: { ...AD_FIELDS, ...changes },
          photos: changes.photos ?? [],
          video: changes.video ?? null,
          isDemo: false,
        },
        state,
        { now: '2026-02-01T00:00:00.000Z', newId: () => 'a2' },
      ).filter(({ type }) => type !== 'AdPosted');

  test('is hidden without a decision, regardless of its content', () => {
    given(posted, by('report', AD_CASE), deleted)
      .when(repost())
      .then(by('report', AD_CASE, 'a2'));
    given(posted, by('report', AD_CASE), deleted)
      .when(repost(OTHER))
      .then(by('report', AD_CASE, 'a2'));
  });

  test('is hidden after a decision if it has the same text or photo, and visible otherwise', () => {
    const decided = [withPhoto, by('report', AD_CASE), by('moderator', AD_CASE), deleted];
    given(...decided)
      .when(repost())
      .then(by('moderator', AD_CASE, 'a2'));
    given(...decided)
      .when(repost({ title: 'CALM', description: '«calm»' }))
      .then(by('moderator', AD_CASE, 'a2'));
    given(...decided)
      .when(repost({ ...OTHER, photos: ['m2'] }))
      .then(by('moderator', AD_CASE, 'a2'));
    given(...decided)
      .when(repost(OTHER))
      .then();
  });

  test('is hidden by a decision that followed the deletion', () => {
    given(posted, by('report', AD_CASE), deleted)
      .decide(hideAd, { adId: 'a1', by: 'moderator', caseId: AD_CASE, accountId: 'anna' })
      .then(by('moderator', AD_CASE));
    given(posted, by('report', AD_CASE), deleted, by('moderator', AD_CASE))
      .decide(hideAd, { adId: 'a1', by: 'moderator', caseId: AD_CASE, accountId: 'anna' })
      .then();
    given(posted, by('report', AD_CASE), deleted, by('moderator', AD_CASE)).when(repost(OTHER)).then();
  });

  test('is hidden by a decision that followed the deletion, also if no report has hidden the ad', () => {
    const hide =
      (caseId: CaseId, adId: string | null, who: 'report' | 'moderator' = 'moderator') =>
      (state: ListingState, context: DecisionContext) =>
        hideAd({ adId, by: who, caseId, accountId: 'anna' }, state, context);
    given(posted, deleted).when(hide(AD_CASE, 'a1')).then(by('moderator', AD_CASE));
    const decided = [posted, deleted, by('moderator', AD_CASE)];
    given(...decided)
      .when(hide(AD_CASE, 'a1'))
      .then();
    given(...decided)
      .when(repost())
      .then(by('moderator', AD_CASE, 'a2'));
    given(...decided)
      .when(repost(OTHER))
      .then();
    given(...decided, lifted(AD_CASE))
      .when(repost())
      .then();
    given(posted, deleted).when(hide(ACCOUNT_CASE, null)).then(by('moderator', ACCOUNT_CASE));
    given(posted, deleted, by('moderator', ACCOUNT_CASE))
      .when(repost(OTHER))
      .then(by('moderator', ACCOUNT_CASE, 'a2'));
    given(posted, deleted).when(hide(AD_CASE, 'a0')).then();
    given(posted, deleted)
      .when(hide(AD_CASE, 'a1', 'report'))
      .then();
    given(posted, deleted).when(hide(MEDIA_CASE, null)).then();
  });

  test('is hidden by a case about the profile, or about a picture that it shows', () => {
    given(withPhoto, by('moderator', ACCOUNT_CASE), deleted)
      .when(repost(OTHER))
      .then(by('moderator', ACCOUNT_CASE, 'a2'));
    given(withPhoto, by('moderator', MEDIA_CASE), deleted)
      .when(repost({ photos: ['m2', 'm1'] }))
      .then(by('moderator', MEDIA_CASE, 'a2'));
    given(withPhoto, by('moderator', MEDIA_CASE), deleted)
      .when(repost({ video: 'm1' }))
      .then(by('moderator', MEDIA_CASE, 'a2'));
    given(withPhoto, by('moderator', MEDIA_CASE), deleted)
      .when(repost({ photos: ['m2'] }))
      .then();
  });

  test('is visible after the case is released', () => {
    given(posted, by('report', AD_CASE), deleted)
      .decide(releaseAd, { caseId: AD_CASE, accountId: 'anna' })
      .then(lifted(AD_CASE));
    given(posted, by('report', AD_CASE), deleted, lifted(AD_CASE)).when(repost()).then();
    given(posted, by('report', AD_CASE), deleted, lifted(AD_CASE))
      .decide(releaseAd, { caseId: AD_CASE, accountId: 'anna' })
      .then();
  });

  test('is visible without the held picture, and hidden when the picture is added again', () => {
    const change = (photos: string[]) => (state: ListingState, context: DecisionContext) =>
      updateAd(
        {
          poster: { accountId: 'anna', isProvider: true, emailVerified: true },
          adId: 'a1',
          changes: {},
          photos,
          video: undefined,
        },
        state,
        context,
      ).filter(({ type }) => type !== 'AdUpdated');
    const without: ListingEvent = { type: 'AdUpdated', data: { ...ids, photos: ['m2'] } };
    const back: ListingEvent = { type: 'AdUpdated', data: { ...ids, photos: ['m1'] } };
    given(withPhoto, by('report', MEDIA_CASE))
      .when(change(['m2']))
      .then(restored(MEDIA_CASE));
    given(withPhoto, by('report', MEDIA_CASE), hidden())
      .when(change(['m2']))
      .then(lifted(MEDIA_CASE));
    given(withPhoto, by('report', MEDIA_CASE))
      .when(change(['m1']))
      .then();
    given(withPhoto, by('report', MEDIA_CASE), without, restored(MEDIA_CASE))
      .when(change(['m1']))
      .then(by('report', MEDIA_CASE));
    given(withPhoto, by('report', MEDIA_CASE), without, restored(MEDIA_CASE))
      .decide(releaseAd, { caseId: MEDIA_CASE, accountId: 'anna' })
      .then(lifted(MEDIA_CASE));
    given(withPhoto, by('report', MEDIA_CASE), without, restored(MEDIA_CASE), lifted(MEDIA_CASE))
      .when(change(['m1']))
      .then();
    given(withPhoto, by('report', MEDIA_CASE), back, restored(MEDIA_CASE))
      .when(change(['m2', 'm1']))
      .then();
    // The moderation case is about a picture that the ad does not show, so the case does not hide the ad.
    given(posted).decide(hideAd, { adId: null, by: 'report', caseId: MEDIA_CASE, accountId: 'anna' }).then();
  });
});

test('a phone number has one normal form', () => {
  expect(['+1 702 555 0199', '(702) 555-0199', '001 702 5550199', '７０２５５５０１９９'].map(normalizePhone)).toEqual(
    Array<string>(4).fill('7025550199'),
  );
  expect(normalizePhone('+41 79 555 01 99')).toBe('41795550199');
  expect([normalizePhone(null), normalizePhone('call 911')]).toEqual([null, null]);
});
