import { describe, expect, test } from 'vitest';
import {
  bumpAd,
  canAdBeHidden,
  hideAd,
  isAdHidden,
  letGoOfAd,
  postAd,
  reviewAd,
  updateAd,
} from '../../src/listing/decide.ts';
import type { ListingEvent } from '../../src/listing/events.ts';
import { phoneDigitsOf } from '../../src/listing/phone-digits.ts';
import { listing, type ListingState } from '../../src/listing/state.ts';
import { given as givenOf } from '../given.ts';

const given = givenOf(listing);
const ids = { accountId: 'anna', adId: 'a1' };
const posted: ListingEvent = {
  type: 'AdPosted',
  data: {
    ...ids,
    clientId: null,
    name: 'Anna',
    title: 'Calm',
    category: 'escort',
    state: 'NV',
    city: 'Reno',
    description: 'Calm.',
    price: null,
    body: null,
    phone: null,
    socialMedia: null,
    photos: [],
    video: null,
    isDemo: false,
  },
};
const hidden = (caseId = 'ad-a1'): ListingEvent => ({ type: 'AdHidden', data: { ...ids, by: 'report', caseId } });
const restored = (caseId = 'ad-a1'): ListingEvent => ({ type: 'AdRestored', data: { ...ids, caseId } });
const hiding = { adId: 'a1', by: 'report', caseId: 'ad-a1' } as const;

test('a case hides the ad once; whichever is up where none is named', () => {
  given(posted)
    .when((state) => hideAd(hiding, 'anna', state))
    .then(hidden());
  given(posted)
    .when((state) => hideAd({ ...hiding, adId: null }, 'anna', state))
    .then(hidden());
  given(posted, hidden())
    .when((state) => hideAd(hiding, 'anna', state))
    .then();
  given(posted)
    .when((state) => hideAd({ ...hiding, adId: 'a0' }, 'anna', state))
    .then();
  given()
    .when((state) => hideAd(hiding, 'anna', state))
    .then();
});

test('it is to be seen again once the last case lets go', () => {
  given(posted, hidden())
    .when((state) => letGoOfAd('ad-a1', 'anna', state))
    .then(restored());
  given(posted, hidden(), hidden('account-anna'))
    .when((state) => letGoOfAd('ad-a1', 'anna', state))
    .then({ type: 'AdHoldLifted', data: { ...ids, caseId: 'ad-a1' } });
  given(posted)
    .when((state) => letGoOfAd('ad-a1', 'anna', state))
    .then();
});

test('what a moderator let stand is not hidden again until it is changed', () => {
  const changed: ListingEvent = { type: 'AdUpdated', data: { ...ids, title: 'Other' } };
  expect(
    [[posted], [posted, hidden()], [posted, hidden(), restored()], [posted, hidden(), restored(), changed], []].map(
      (events) => canAdBeHidden(given(...events).state),
    ),
  ).toEqual([true, false, false, true, false]);
});

test('a hidden ad is not moved up and not reviewed', () => {
  const poster = { accountId: 'anna', isProvider: true, emailVerified: true };
  const context = { now: '2026-02-01T00:00:00.000Z', newId: () => 'x' };
  const { state, when } = given(posted, hidden());
  expect(state.ad && isAdHidden(state.ad)).toBe(true);
  when((now) => bumpAd({ poster, adId: 'a1' }, now, context)).thenRefused('AD_HIDDEN');
  when((now) =>
    reviewAd({ adId: 'a1', reviewer: null, reviewId: 'r', name: 'C', comment: 'Well', rating: 5 }, now, 'anna'),
  ).thenRefused('AD_NOT_FOUND');
});

describe('what a case holds stays out of sight when the ad is deleted and posted again', () => {
  const FIELDS = {
    name: 'Anna',
    title: 'Calm',
    category: 'escort',
    state: 'NV',
    city: 'Reno',
    description: 'Calm.',
    price: null,
    body: null,
    phone: null,
    socialMedia: null,
  } as const;
  const OTHER = { title: 'Other', description: 'All new.' };
  const deleted: ListingEvent = { type: 'AdDeleted', data: { ...ids, reason: null } };
  const withPhoto: ListingEvent = { ...posted, data: { ...posted.data, photos: ['m1', 'm2'] } };
  const by = (who: 'report' | 'moderator', caseId: string, adId = 'a1'): ListingEvent => ({
    type: 'AdHidden',
    data: { accountId: 'anna', adId, by: who, caseId },
  });
  const lifted = (caseId: string): ListingEvent => ({ type: 'AdHoldLifted', data: { ...ids, caseId } });
  const again =
    (changes: { title?: string; description?: string; photos?: string[]; video?: string } = {}) =>
    (state: ListingState) =>
      postAd(
        {
          poster: { accountId: 'anna', isProvider: true, emailVerified: true },
          clientId: null,
          fields: { ...FIELDS, ...changes },
          photos: changes.photos ?? [],
          video: changes.video ?? null,
          isDemo: false,
        },
        state,
        { now: '2026-02-01T00:00:00.000Z', newId: () => 'a2' },
      ).filter(({ type }) => type !== 'AdPosted');

  test('as long as nobody has decided, whatever it says', () => {
    given(posted, by('report', 'ad-a1'), deleted)
      .when(again())
      .then(by('report', 'ad-a1', 'a2'));
    given(posted, by('report', 'ad-a1'), deleted)
      .when(again(OTHER))
      .then(by('report', 'ad-a1', 'a2'));
  });

  test('once a moderator has, the same words or the same photo; another ad is seen', () => {
    const decided = [withPhoto, by('report', 'ad-a1'), by('moderator', 'ad-a1'), deleted];
    given(...decided)
      .when(again())
      .then(by('moderator', 'ad-a1', 'a2'));
    given(...decided)
      .when(again({ title: 'CALM', description: '«calm»' }))
      .then(by('moderator', 'ad-a1', 'a2'));
    given(...decided)
      .when(again({ ...OTHER, photos: ['m2'] }))
      .then(by('moderator', 'ad-a1', 'a2'));
    given(...decided)
      .when(again(OTHER))
      .then();
    given(...decided)
      .when(again({ ...OTHER, photos: ['demo-01'] }))
      .then();
  });

  test('a decision after the ad was deleted is remembered, too', () => {
    given(posted, by('report', 'ad-a1'), deleted)
      .when((state) => hideAd({ adId: 'a1', by: 'moderator', caseId: 'ad-a1' }, 'anna', state))
      .then(by('moderator', 'ad-a1'));
    given(posted, by('report', 'ad-a1'), deleted, by('moderator', 'ad-a1'))
      .when((state) => hideAd({ adId: 'a1', by: 'moderator', caseId: 'ad-a1' }, 'anna', state))
      .then();
    given(posted, by('report', 'ad-a1'), deleted, by('moderator', 'ad-a1')).when(again(OTHER)).then();
  });

  test('with a profile, whatever is posted; with a picture, what shows it', () => {
    given(withPhoto, by('moderator', 'account-anna'), deleted)
      .when(again(OTHER))
      .then(by('moderator', 'account-anna', 'a2'));
    given(withPhoto, by('moderator', 'media-m1'), deleted)
      .when(again({ photos: ['m2', 'm1'] }))
      .then(by('moderator', 'media-m1', 'a2'));
    given(withPhoto, by('moderator', 'media-m1'), deleted)
      .when(again({ video: 'm1' }))
      .then(by('moderator', 'media-m1', 'a2'));
    given(withPhoto, by('moderator', 'media-m1'), deleted)
      .when(again({ photos: ['m2'] }))
      .then();
  });

  test('until the case lets go', () => {
    given(posted, by('report', 'ad-a1'), deleted)
      .when((state) => letGoOfAd('ad-a1', 'anna', state))
      .then(lifted('ad-a1'));
    given(posted, by('report', 'ad-a1'), deleted, lifted('ad-a1')).when(again()).then();
    given(posted, by('report', 'ad-a1'), deleted, lifted('ad-a1'))
      .when((state) => letGoOfAd('ad-a1', 'anna', state))
      .then();
  });

  test('a picture taken out of the ad lets it be seen, and back in it does not', () => {
    const change = (photos: string[]) => (state: ListingState) =>
      updateAd(
        {
          poster: { accountId: 'anna', isProvider: true, emailVerified: true },
          adId: 'a1',
          changes: {},
          photos,
          video: undefined,
        },
        state,
      ).filter(({ type }) => type !== 'AdUpdated');
    const without: ListingEvent = { type: 'AdUpdated', data: { ...ids, photos: ['m2'] } };
    const back: ListingEvent = { type: 'AdUpdated', data: { ...ids, photos: ['m1'] } };
    given(withPhoto, by('report', 'media-m1'))
      .when(change(['m2']))
      .then(restored('media-m1'));
    given(withPhoto, by('report', 'media-m1'), hidden())
      .when(change(['m2']))
      .then(lifted('media-m1'));
    given(withPhoto, by('report', 'media-m1'))
      .when(change(['m1']))
      .then();
    given(withPhoto, by('report', 'media-m1'), without, restored('media-m1'))
      .when(change(['m1']))
      .then(by('report', 'media-m1'));
    given(withPhoto, by('report', 'media-m1'), without, restored('media-m1'))
      .when((state) => letGoOfAd('media-m1', 'anna', state))
      .then(lifted('media-m1'));
    given(withPhoto, by('report', 'media-m1'), without, restored('media-m1'), lifted('media-m1'))
      .when(change(['m1']))
      .then();
    given(withPhoto, by('report', 'media-m1'), back, restored('media-m1'))
      .when(change(['m2', 'm1']))
      .then();
    expect(canAdBeHidden(given(withPhoto, by('report', 'media-m1'), without, restored('media-m1')).state)).toBe(true);
    // A picture the ad does not show takes nothing out of sight.
    given(posted)
      .when((state) => hideAd({ adId: null, by: 'report', caseId: 'media-m1' }, 'anna', state))
      .then();
  });
});

test('a phone number has one spelling', () => {
  expect(['+1 702 555 0199', '(702) 555-0199', '001 702 5550199', '７０２５５５０１９９'].map(phoneDigitsOf)).toEqual(
    Array<string>(4).fill('7025550199'),
  );
  expect(phoneDigitsOf('+41 79 555 01 99')).toBe('41795550199');
  expect([phoneDigitsOf(null), phoneDigitsOf('call 911')]).toEqual([null, null]);
});
