import { expect, test } from 'vitest';
import { bumpAd, canAdBeHidden, hideAd, isAdHidden, letGoOfAd, reviewAd } from '../../src/listing/decide.ts';
import type { ListingEvent } from '../../src/listing/events.ts';
import { phoneDigitsOf } from '../../src/listing/phone-digits.ts';
import { listing } from '../../src/listing/state.ts';
import { given as givenOf } from '../given.ts';

const given = givenOf(listing);
const ids = { accountId: 'anna', adId: 'a1' };
const posted: ListingEvent = {
  type: 'AdPosted',
  data: { ...ids, clientId: null, name: 'Anna', title: 'Calm', category: 'escort', state: 'NV', city: 'Reno', description: 'Calm.', price: null, body: null, phone: null, socialMedia: null, photos: [], video: null, isDemo: false },
};
const hidden = (caseId = 'ad-a1'): ListingEvent => ({ type: 'AdHidden', data: { ...ids, by: 'report', caseId } });
const restored = (caseId = 'ad-a1'): ListingEvent => ({ type: 'AdRestored', data: { ...ids, caseId } });
const hiding = { adId: 'a1', by: 'report', caseId: 'ad-a1' } as const;

test('a case hides the ad once; whichever is up where none is named', () => {
  given(posted).when((state) => hideAd(hiding, 'anna', state)).then(hidden());
  given(posted).when((state) => hideAd({ ...hiding, adId: null }, 'anna', state)).then(hidden());
  given(posted, hidden()).when((state) => hideAd(hiding, 'anna', state)).then();
  given(posted).when((state) => hideAd({ ...hiding, adId: 'a0' }, 'anna', state)).then();
  given().when((state) => hideAd(hiding, 'anna', state)).then();
});

test('it is to be seen again once the last case lets go', () => {
  given(posted, hidden()).when((state) => letGoOfAd('ad-a1', 'anna', state)).then(restored());
  given(posted, hidden(), hidden('media-m1')).when((state) => letGoOfAd('ad-a1', 'anna', state)).then({ type: 'AdHoldLifted', data: { ...ids, caseId: 'ad-a1' } });
  given(posted).when((state) => letGoOfAd('ad-a1', 'anna', state)).then();
});

test('what a moderator let stand is not hidden again until it is changed', () => {
  const changed: ListingEvent = { type: 'AdUpdated', data: { ...ids, title: 'Other' } };
  expect([[posted], [posted, hidden()], [posted, hidden(), restored()], [posted, hidden(), restored(), changed], []].map((events) => canAdBeHidden(given(...events).state))).toEqual([true, false, false, true, false]);
});

test('a hidden ad is not moved up and not reviewed', () => {
  const poster = { accountId: 'anna', isProvider: true, emailVerified: true };
  const context = { now: '2026-02-01T00:00:00.000Z', newId: () => 'x' };
  const { state, when } = given(posted, hidden());
  expect(state.ad && isAdHidden(state.ad)).toBe(true);
  when((now) => bumpAd({ poster, adId: 'a1' }, now, context)).thenRefused('AD_HIDDEN');
  when((now) => reviewAd({ adId: 'a1', reviewer: null, reviewId: 'r', name: 'C', comment: 'Well', rating: 5 }, now, 'anna')).thenRefused('AD_NOT_FOUND');
});

test('a phone number has one spelling', () => {
  expect(['+1 702 555 0199', '(702) 555-0199', '001 702 5550199', '７０２５５５０１９９'].map(phoneDigitsOf)).toEqual(Array<string>(4).fill('7025550199'));
  expect(phoneDigitsOf('+41 79 555 01 99')).toBe('41795550199');
  expect([phoneDigitsOf(null), phoneDigitsOf('call 911')]).toEqual([null, null]);
});
