import {
  adAsOf,
  adTelling,
  asOf,
  bumpAd,
  deleteAd,
  featureAd,
  isOfAd,
  listing,
  postAd,
  reviewAd,
  updateAd,
  type AdAsOf,
  type ListingEvent,
  type ListingState,
  type Position,
  type Recorded,
} from '@alpenglow/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEvent, type Row } from '../src/projection.ts';
import { adCards, type AdCardRow } from '../src/projections/ad-cards.ts';
import { adDetails, type AdDetailRow } from '../src/projections/ad-details.ts';
import { isFullRun } from '../../tests/support/sample.ts';

/** How an ad stood at any moment, held against what the read models of visitors showed just then. */

const HISTORIES = isFullRun ? 1_000 : 150;
const poster = { accountId: 'anna', isProvider: true, emailVerified: true };
const START = Date.parse('2026-01-01T12:00:00.000Z');

const title = fc.constantFrom('Good company', 'Calm evenings', 'A walk', 'Été');
const place = fc.constantFrom(
  { state: 'NV', city: 'Las Vegas' },
  { state: 'NV', city: 'Reno' },
  { state: 'NY', city: 'New York City' },
);
const socialMedia = fc.constantFrom(null, {
  instagram: '@anna',
  twitter: null,
  facebook: null,
  snapchat: null,
  tiktok: null,
  onlyfans: null,
  website: null,
});
const fields = fc.record({
  name: fc.constantFrom('Anna', 'Bea'),
  title,
  category: fc.constantFrom('escort', 'massage'),
  place,
  description: fc.string({ minLength: 1, maxLength: 20 }),
  price: fc.constantFrom(null, '200', '$150 / h'),
  body: fc.constantFrom(null, 'Slim'),
  phone: fc.constantFrom(null, '+1 702 555 0100'),
  socialMedia,
});
const photos = fc.constantFrom(['m1'], ['m1', 'm2'], []);
const post = fc.record({ kind: fc.constant('post'), fields, photos });
const command = fc.oneof(
  post,
  fc.record({
    kind: fc.constant('update'),
    fields: fc.record(
      {
        title,
        price: fc.constantFrom(null, '300'),
        phone: fc.constantFrom(null, '+1 702 555 0111'),
        socialMedia,
        place,
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ kind: fc.constant('bump') }),
  fc.record({
    kind: fc.constant('review'),
    reviewer: fc.constantFrom('ben', 'carl', 'dora'),
    rating: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant('feature'), isFeatured: fc.boolean() }),
  fc.record({ kind: fc.constant('hide') }),
  fc.record({ kind: fc.constant('restore') }),
  fc.record({ kind: fc.constant('delete') }),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;
/** A command, and how long after the one before: some at the same moment. */
const after_ms = fc.constantFrom(0, 1, 60_000, 31 * 60_000);
/** Begins with an ad, since nothing happens to none. */
const history = fc
  .tuple(
    fc.record({ command: post, after_ms }),
    fc.array(fc.record({ command, after_ms }), { minLength: 5, maxLength: 25, size: 'max' }),
  )
  .map(([first, steps]) => [first, ...steps]);

/** What the deciders make of a command; what they refuse makes no event. */
function decided(given: Command, state: ListingState, now: string, newId: () => string): readonly ListingEvent[] {
  const ad = state.ad;
  const ids = { accountId: 'anna', adId: ad?.adId ?? 'none' };
  try {
    switch (given.kind) {
      case 'post': {
        const { place: there, ...rest } = given.fields;
        return postAd(
          { poster, clientId: null, fields: { ...rest, ...there }, photos: given.photos, video: null, isDemo: false },
          state,
          { now, newId },
        );
      }
      case 'update': {
        const { place: there, ...rest } = given.fields;
        return updateAd(
          { poster, adId: ids.adId, changes: { ...rest, ...there }, photos: undefined, video: undefined },
          state,
        );
      }
      case 'bump':
        return bumpAd({ poster, adId: ids.adId }, state, { now, newId });
      case 'review': {
        const review = {
          adId: ids.adId,
          reviewId: newId(),
          name: given.reviewer,
          comment: 'Kind.',
          rating: given.rating,
        };
        return reviewAd(
          { reviewer: { accountId: given.reviewer, isProvider: false, emailVerified: true }, ...review },
          state,
          'anna',
        );
      }
      case 'feature':
        return featureAd({ adId: ids.adId, isFeatured: given.isFeatured }, 'anna', state);
      case 'hide':
        return ad?.heldBy.length === 0 ? [{ type: 'AdHidden', data: { ...ids, by: 'report', caseId: 'c1' } }] : [];
      case 'restore':
        return ad?.heldBy.length === 1 ? [{ type: 'AdRestored', data: { ...ids, caseId: 'c1' } }] : [];
      case 'delete':
        return deleteAd({ poster, adId: ids.adId }, state);
      default:
        return [];
    }
  } catch {
    return [];
  }
}

/** What visitors were shown at a moment: the rows of the slot, and whether it was held out of sight. */
interface Shown {
  readonly at: string;
  readonly card: AdCardRow | null;
  readonly details: AdDetailRow | null;
  readonly isHidden: boolean;
}

/** Lives through a history as the product does, command by command, and notes what was shown after each. */
function live(steps: readonly { readonly command: Command; readonly after_ms: number }[]) {
  const events: Recorded[] = [];
  const shown: Shown[] = [];
  const adIds: string[] = [];
  let state = listing.initial;
  let [card, details]: readonly (Row | null)[] = [null, null];
  let now_ms = START;
  let ids = 0;
  for (const { command: given, after_ms } of steps) {
    now_ms += after_ms;
    const at = new Date(now_ms).toISOString();
    for (const event of decided(given, state, at, () => `id-${(ids += 1)}`)) {
      const revision = events.length;
      const recorded = {
        ...event,
        id: `e-${revision}`,
        stream: 'listing-anna',
        revision,
        position: String(revision) as Position,
        meta: { correlationId: 'c', causationId: null, actor: { kind: 'system', name: 'test' }, at },
      } as Recorded;
      events.push(recorded);
      state = listing.evolve(state, event, at);
      card = rowAfter(adCards, recorded, card ?? null);
      details = rowAfter(adDetails, recorded, details ?? null);
      if (event.type === 'AdPosted') adIds.push(event.data.adId);
    }
    const now: Shown = {
      at,
      card: card as AdCardRow | null,
      details: details as AdDetailRow | null,
      isHidden: (state.ad?.heldBy.length ?? 0) > 0,
    };
    // What was shown at a moment is what it ended with.
    if (shown.at(-1)?.at === at) shown.pop();
    shown.push(now);
  }
  return { events, shown, adIds };
}

function rowAfter(projection: unknown, event: Recorded, row: Row | null): Row | null {
  const after = applyEvent(projection as Parameters<typeof applyEvent>[0], event, row);
  return after === undefined ? row : after;
}

/** The same of an ad as it stood, in the words of the read models. */
function asShown(ad: AdAsOf) {
  const {
    name,
    title,
    category,
    state,
    city,
    description,
    price,
    body,
    phone,
    socialMedia,
    photos,
    video,
    isDemo,
    isFeatured,
  } = ad;
  const reviews = ad.reviews.map(({ name: by, comment, rating }) => ({ name: by, comment, rating }));
  const card = { title, name, category, state, city, price, photos, video, is_featured: isFeatured, is_demo: isDemo };
  const sums = {
    bump_count: ad.bumpCount,
    rating_sum: reviews.reduce((sum, { rating }) => sum + rating, 0),
    review_count: ad.reviewCount,
  };
  return {
    ...card,
    ...sums,
    created_at: ad.postedAt,
    updated_at: ad.updatedAt,
    last_bumped_at: ad.lastBumpedAt,
    description,
    body,
    phone,
    social_media: socialMedia,
    reviews,
  };
}

function expectStood(adId: string, events: readonly Recorded[], shown: Shown | undefined, at: string): void {
  const ad = adAsOf(
    asOf(
      adTelling,
      events.filter((event) => isOfAd(event, adId)),
      at,
    ),
  );
  if (shown?.card?.ad_id === adId) {
    expect(ad?.status).toBe(shown.isHidden ? 'hidden' : 'active');
    expect({ ...shown.card, ...shown.details }).toMatchObject(ad ? asShown(ad) : {});
  } else {
    expect(ad?.status ?? 'not posted').toBe(
      events.some((event) => event.type === 'AdPosted' && event.data.adId === adId && event.meta.at <= at)
        ? 'deleted'
        : 'not posted',
    );
  }
}

test(`an ad as of each moment of ${HISTORIES} histories is what visitors were shown just then`, () => {
  let compared = 0;
  fc.assert(
    fc.property(history, (steps) => {
      const { events, shown, adIds } = live(steps);
      for (const adId of adIds) {
        expectStood(adId, events, undefined, new Date(START - 1).toISOString());
        for (const [index, { at }] of shown.entries()) {
          expectStood(adId, events, shown[index], at);
          // Nothing changes until the next one happens.
          const next = shown[index + 1]?.at ?? new Date(Date.parse(at) + 60_000).toISOString();
          expectStood(adId, events, shown[index], new Date(Date.parse(next) - 1).toISOString());
          compared += 2;
        }
      }
    }),
    { numRuns: HISTORIES },
  );
  // The histories are worth their number: each has an ad that lives through several moments.
  expect(compared).toBeGreaterThan(HISTORIES * 10);
});
