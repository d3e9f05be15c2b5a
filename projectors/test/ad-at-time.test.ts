import {
  CARD_TEXTS,
  EMPTY_OPTIONAL_FIELDS,
  PAGE_TEXTS,
  pick,
  toAdSnapshot,
  createAdHistoryReducer,
  toAverageRating,
  listing,
  type AdSnapshot,
  type ListingEvent,
  type ListingState,
  type Position,
  type RecordedDomainEvent,
  type CaseId,
} from '@alpenglow/domain';
import { bumpAd, deleteAd, featureAd, postAd, reviewAd, updateAd } from '@alpenglow/domain/deciders';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEvent, type Row } from '../src/projection.ts';
import { adCards, type AdCardRow } from '../src/projections/ad-cards.ts';
import { adDetails, type AdDetailRow } from '../src/projections/ad-details.ts';
import { assertProperty } from '../../tests/support/property.ts';
import { stateAt } from '../../tests/support/state-at.ts';

/**
 * This test derives the state of an ad at a past time from the events of the ad. It compares this state with the rows
 * of the read models at that time.
 */

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
/** Values of all optional texts of an ad. */
const optionalTexts: { readonly [Name in keyof typeof EMPTY_OPTIONAL_FIELDS]?: fc.Arbitrary<string | null> } =
  Object.fromEntries(Object.keys(EMPTY_OPTIONAL_FIELDS).map((name) => [name, fc.constantFrom(null, 'Slim')]));
const fields = fc.record({
  name: fc.constantFrom('Anna', 'Bea'),
  title,
  category: fc.constantFrom('escort', 'massage'),
  place,
  description: fc.string({ minLength: 1, maxLength: 20 }),
  ...optionalTexts,
  price: fc.constantFrom(null, '200', '$150 / h'),
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
        ...optionalTexts,
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
    registeredAt: fc.constantFrom('2025-06-01T00:00:00.000Z', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'),
  }),
  fc.record({ kind: fc.constant('feature'), isFeatured: fc.boolean() }),
  fc.record({ kind: fc.constant('hide') }),
  fc.record({ kind: fc.constant('restore') }),
  fc.record({ kind: fc.constant('delete') }),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;
/** Time between two commands in milliseconds. Zero means that both commands have the same time. */
const after_ms = fc.constantFrom(0, 1, 60_000, 31 * 60_000);
/** A random history of commands. The first command posts an ad, because other commands have no effect without an ad. */
const history = fc
  .tuple(
    fc.record({ command: post, after_ms }),
    fc.array(fc.record({ command, after_ms }), { minLength: 5, maxLength: 25, size: 'max' }),
  )
  .map(([first, steps]) => [first, ...steps]);

/** Returns the events of a command, or none if the decider rejects the command. */
function eventsOf(step: Command, state: ListingState, now: string, newId: () => string): readonly ListingEvent[] {
  const ad = state.ad;
  const ids = { accountId: 'anna', adId: ad?.adId ?? 'none' };
  const context = { now, newId };
  try {
    switch (step.kind) {
      case 'post': {
        const { place: newPlace, ...rest } = step.fields;
        return postAd(
          {
            poster,
            clientId: null,
            fields: { ...rest, ...newPlace },
            photos: step.photos,
            video: null,
            isDemo: false,
          },
          state,
          context,
        );
      }
      case 'update': {
        const { place: newPlace, ...rest } = step.fields;
        return updateAd(
          { poster, adId: ids.adId, changes: { ...rest, ...newPlace }, photos: undefined, video: undefined },
          state,
          context,
        );
      }
      case 'bump':
        return bumpAd({ poster, adId: ids.adId }, state, context);
      case 'review': {
        const review = {
          adId: ids.adId,
          reviewId: newId(),
          name: step.reviewer,
          comment: 'Kind.',
          rating: step.rating,
        };
        return reviewAd(
          {
            reviewer: {
              accountId: step.reviewer,
              registeredAt: step.registeredAt,
              isProvider: false,
              emailVerified: true,
              writesFrom: null,
              isRestricted: false,
            },
            ...review,
            ownerAccountId: 'anna',
          },
          state,
          context,
        );
      }
      case 'feature':
        return featureAd({ adId: ids.adId, isFeatured: step.isFeatured, accountId: 'anna' }, state, context);
      case 'hide':
        return ad?.holdingCaseIds.length === 0
          ? [{ type: 'AdHidden', data: { ...ids, by: 'report', caseId: 'c1' as CaseId } }]
          : [];
      case 'restore':
        return ad?.holdingCaseIds.length === 1
          ? [{ type: 'AdRestored', data: { ...ids, caseId: 'c1' as CaseId } }]
          : [];
      case 'delete':
        return deleteAd({ poster, adId: ids.adId }, state, context);
      default:
        return [];
    }
  } catch {
    return [];
  }
}

/**
 * The rows of an account's ad in the read models at one time. `isHidden` is true while a moderation case hides the ad.
 */
interface RowsAtTime {
  readonly at: string;
  readonly card: AdCardRow | null;
  readonly details: AdDetailRow | null;
  readonly isHidden: boolean;
}

/** Runs the commands of a history in order. Returns the events, and the rows after each command. */
function runHistory(steps: readonly { readonly command: Command; readonly after_ms: number }[]) {
  const events: RecordedDomainEvent[] = [];
  const states: RowsAtTime[] = [];
  const adIds: string[] = [];
  let state = listing.initial;
  let [card, details]: readonly (Row | null)[] = [null, null];
  let now_ms = START;
  let ids = 0;
  for (const { command: step, after_ms } of steps) {
    now_ms += after_ms;
    const at = new Date(now_ms).toISOString();
    for (const event of eventsOf(step, state, at, () => `id-${(ids += 1)}`)) {
      const revision = events.length;
      const recorded = {
        ...event,
        id: `e-${revision}`,
        stream: 'listing-anna',
        revision,
        position: String(revision) as Position,
        meta: { correlationId: 'c', causationId: null, actor: { kind: 'system', name: 'test' }, at },
      } as RecordedDomainEvent;
      events.push(recorded);
      state = listing.evolve(state, event, at);
      card = rowAfter(adCards, recorded, card ?? null);
      details = rowAfter(adDetails, recorded, details ?? null);
      if (event.type === 'AdPosted') adIds.push(event.data.adId);
    }
    const now: RowsAtTime = {
      at,
      card: card as AdCardRow | null,
      details: details as AdDetailRow | null,
      isHidden: (state.ad?.holdingCaseIds.length ?? 0) > 0,
    };
    // If several commands have the same time, only the state after the last command is compared.
    if (states.at(-1)?.at === at) states.pop();
    states.push(now);
  }
  return { events, states, adIds };
}

function rowAfter(projection: unknown, event: RecordedDomainEvent, row: Row | null): Row | null {
  const after = applyEvent(projection as Parameters<typeof applyEvent>[0], event, row);
  return after === undefined ? row : after;
}

/** Converts the snapshot of an ad to the columns of the read models. */
function asRows(ad: AdSnapshot) {
  const { category, state, city, phone, socialMedia, photos, video, isDemo, isFeatured } = ad;
  const reviews = ad.reviews.map(({ name: by, comment, rating }) => ({ name: by, comment, rating }));
  const card = { category, state, city, photos, video, is_featured: isFeatured, is_demo: isDemo };
  const sums = {
    bump_count: ad.bumpCount,
    review_count: ad.reviewCount,
  };
  return {
    ...card,
    ...sums,
    created_at: ad.postedAt,
    updated_at: ad.updatedAt,
    last_bumped_at: ad.lastBumpedAt,
    ...pick(ad, CARD_TEXTS),
    ...pick(ad, PAGE_TEXTS),
    phone,
    social_media: socialMedia,
    written_reviews: reviews,
  };
}

function expectSameState(
  adId: string,
  events: readonly RecordedDomainEvent[],
  states: RowsAtTime | undefined,
  at: string,
): void {
  const ad = toAdSnapshot(stateAt(createAdHistoryReducer(adId), events, at));
  if (states?.card?.ad_id === adId) {
    expect(ad?.status).toBe(states.isHidden ? 'hidden' : 'active');
    expect({ ...states.card, ...states.details }).toMatchObject(ad ? asRows(ad) : {});
    expect(toAverageRating(states.card.rating_sum, states.card.weight_sum)).toBe(ad?.rating);
  } else {
    expect(ad?.status ?? 'not posted').toBe(
      events.some((event) => event.type === 'AdPosted' && event.data.adId === adId && event.meta.at <= at)
        ? 'deleted'
        : 'not posted',
    );
  }
}

test('the snapshot of an ad equals the read models at every time of random histories', async () => {
  let compared = 0;
  let histories = 0;
  await assertProperty(
    fc.property(history, (steps) => {
      histories += 1;
      const { events, states, adIds } = runHistory(steps);
      for (const adId of adIds) {
        expectSameState(adId, events, undefined, new Date(START - 1).toISOString());
        for (const [index, { at }] of states.entries()) {
          expectSameState(adId, events, states[index], at);
          // The state does not change until the next command, so it is also compared one millisecond before that
          // command.
          const next = states[index + 1]?.at ?? new Date(Date.parse(at) + 60_000).toISOString();
          expectSameState(adId, events, states[index], new Date(Date.parse(next) - 1).toISOString());
          compared += 2;
        }
      }
    }),
    { name: 'histories of an ad', short: 150, minimum: 150, maximum: 1_000, time_s: 5 },
  );
  // This check fails if the histories are too short. On average, each history must have an ad with several states.
  expect(compared).toBeGreaterThan(histories * 10);
});
