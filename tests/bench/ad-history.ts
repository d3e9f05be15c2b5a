import { randomUUID } from 'node:crypto';
import { definitionOf, type EventStore, type EventToAppend } from '@alpenglow/domain';
import { v7 as uuidv7 } from 'uuid';
import { generatedAd } from '../../infra/embedded/seed/demo-ads.ts';

/** Of each ad, on average: what a year of a directory looks like in which owners bump weekly and few ads are ever featured. */
const BUMPS_MAX = 12;
const EDITS_MAX = 3;
const REVIEWS_MAX = 4;
const FEATURED_EVERY = 40;
const DELETED_EVERY = 20;
/** Who writes reviews: each has a key of their own, too. */
const REVIEWERS = 5_000;
const AT_ONCE = 2_000;
const YEAR_ms = 365 * 24 * 60 * 60_000;
const FROM_ms = Date.UTC(2025, 10, 1);

interface Happened {
  readonly at_ms: number;
  readonly stream: string;
  readonly type: string;
  readonly data: unknown;
  readonly by: string;
}

/**
 * Appends the lives of so many ads, in the order of time: posted, edited, bumped, reviewed, some featured, some deleted. What is personal
 * is sealed by `store`. Answers how many events these are.
 */
export async function storeAdHistory(
  store: EventStore,
  ads: number,
  onProgress: (events: number) => void = () => undefined,
): Promise<number> {
  const random = generator(ads);
  const reviewers = Array.from({ length: REVIEWERS }, () => randomUUID());
  const history = Array.from({ length: ads }, (_, number) => lifeOf(number, reviewers, random))
    .flat()
    .sort((a, b) => a.at_ms - b.at_ms);
  for (let from = 0; from < history.length; from += AT_ONCE) {
    const byStream = new Map<string, EventToAppend[]>();
    for (const happened of history.slice(from, from + AT_ONCE)) {
      const events = byStream.get(happened.stream) ?? [];
      byStream.set(happened.stream, events);
      events.push(eventOf(happened));
    }
    await Promise.all(
      [...byStream].map(([stream, events]) => store.append(stream, events, { expectedRevision: 'any' })),
    );
    onProgress(from);
  }
  return history.length;
}

function lifeOf(number: number, reviewers: readonly string[], random: () => number): readonly Happened[] {
  const ids = { accountId: randomUUID(), adId: randomUUID() };
  const { fields, photos } = generatedAd(number);
  const posted_ms = FROM_ms + random() * YEAR_ms * 0.8;
  const whole = (max: number) => Math.floor(random() * (max + 1));
  const later = (type: string, data: unknown, by: string = ids.accountId): Happened => ({
    at_ms: posted_ms + 1 + random() * (FROM_ms + YEAR_ms - posted_ms),
    stream: `listing-${ids.accountId}`,
    type,
    data,
    by,
  });
  const edits = [
    { description: `${fields.description} Booking a day ahead is kind.` },
    { price: '220 / h' },
    { title: `${fields.title}, evenings`, phone: fields.phone },
  ];
  return [
    {
      ...later('AdPosted', { ...ids, clientId: null, ...fields, photos, video: null, isDemo: false }),
      at_ms: posted_ms,
    },
    ...Array.from({ length: whole(EDITS_MAX) }, (_, index) =>
      later('AdUpdated', { ...ids, ...edits[(number + index) % edits.length] }),
    ),
    ...Array.from({ length: whole(BUMPS_MAX) }, () => later('AdBumped', ids)),
    ...Array.from({ length: whole(REVIEWS_MAX) }, () => {
      const reviewerId = reviewers[whole(reviewers.length - 1)] ?? '';
      return later(
        'AdReviewed',
        {
          ...ids,
          reviewerId,
          reviewId: randomUUID(),
          name: 'Quiet traveller',
          comment: 'A pleasant hour, easy to talk to.',
          rating: 3 + whole(2),
        },
        reviewerId,
      );
    }),
    ...(number % FEATURED_EVERY === 0 ? [later('AdFeatured', { ...ids, isFeatured: true })] : []),
    ...(number % DELETED_EVERY === 0
      ? [{ ...later('AdDeleted', { ...ids, reason: null }), at_ms: FROM_ms + YEAR_ms + number }]
      : []),
  ];
}

function eventOf({ at_ms, type, data, by }: Happened): EventToAppend {
  return {
    id: uuidv7(),
    type,
    version: definitionOf(type)?.version ?? 1,
    data,
    meta: {
      correlationId: randomUUID(),
      causationId: null,
      actor: { kind: 'account', accountId: by },
      at: new Date(at_ms).toISOString(),
    },
  };
}

/** A small generator of numbers from 0 to 1 (mulberry32), so that the history has the same shape on every run. */
function generator(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
