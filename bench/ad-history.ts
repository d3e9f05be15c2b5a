import { randomUUID } from 'node:crypto';
import {
  findEventDefinition,
  type EventStore,
  type EventToAppend,
  type StreamId,
  toStreamId,
  listing,
} from '@alpenglow/domain';
import { v7 as uuidv7 } from 'uuid';
import { generatedAd } from '../launcher/seed/demo-ads.ts';
import { randomNumbers } from '../tests/support/random.ts';

/**
 * Maximum number of bumps per ad in one year of generated history. The constants below limit the other kinds of events.
 */
const BUMPS_MAX = 12;
const EDITS_MAX = 3;
const REVIEWS_MAX = 4;
const FEATURED_EVERY = 40;
const DELETED_EVERY = 20;
/**
 * Number of accounts that write reviews. Each account has its own data key, so decrypting the reviews requires many
 * keys.
 */
const REVIEWERS = 5_000;
const BATCH_SIZE = 2_000;
const YEAR_ms = 365 * 24 * 60 * 60_000;
const FROM_ms = Date.UTC(2025, 10, 1);

interface HistoryEvent {
  readonly at_ms: number;
  readonly stream: StreamId;
  readonly type: string;
  readonly data: unknown;
  readonly by: string;
}

/**
 * Appends the events of `ads` ads in chronological order. Ads are posted, edited, bumped and reviewed. Some are also
 * featured or deleted. `store` must encrypt personal data. Returns the number of events.
 */
export async function storeAdHistory(
  store: EventStore,
  ads: number,
  onProgress: (events: number) => void = () => undefined,
): Promise<number> {
  const random = randomNumbers(Math.imul(ads, 0x9e3779b1));
  const reviewers = Array.from({ length: REVIEWERS }, () => randomUUID());
  const history = Array.from({ length: ads }, (_, number) => createAdHistory(number, reviewers, random))
    .flat()
    .sort((a, b) => a.at_ms - b.at_ms);
  for (let from = 0; from < history.length; from += BATCH_SIZE) {
    const byStream = new Map<StreamId, EventToAppend[]>();
    for (const historyEvent of history.slice(from, from + BATCH_SIZE)) {
      const events = byStream.get(historyEvent.stream) ?? [];
      byStream.set(historyEvent.stream, events);
      events.push(toEvent(historyEvent));
    }
    await Promise.all(
      [...byStream].map(([stream, events]) => store.append(stream, events, { expectedRevision: 'any' })),
    );
    onProgress(from);
  }
  return history.length;
}

function createAdHistory(number: number, reviewers: readonly string[], random: () => number): readonly HistoryEvent[] {
  const ids = { accountId: randomUUID(), adId: randomUUID() };
  const { fields, photos } = generatedAd(number);
  const posted_ms = FROM_ms + random() * YEAR_ms * 0.8;
  const randomInteger = (max: number) => Math.floor(random() * (max + 1));
  const createLaterEvent = (type: string, data: unknown, by: string = ids.accountId): HistoryEvent => ({
    at_ms: posted_ms + 1 + random() * (FROM_ms + YEAR_ms - posted_ms),
    stream: toStreamId(listing, ids.accountId),
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
      ...createLaterEvent('AdPosted', { ...ids, clientId: null, ...fields, photos, video: null, isDemo: false }),
      at_ms: posted_ms,
    },
    ...Array.from({ length: randomInteger(EDITS_MAX) }, (_, index) =>
      createLaterEvent('AdUpdated', { ...ids, ...edits[(number + index) % edits.length] }),
    ),
    ...Array.from({ length: randomInteger(BUMPS_MAX) }, () => createLaterEvent('AdBumped', ids)),
    ...Array.from({ length: randomInteger(REVIEWS_MAX) }, () => {
      const reviewerId = reviewers[randomInteger(reviewers.length - 1)] ?? '';
      return createLaterEvent(
        'AdReviewed',
        {
          ...ids,
          reviewerId,
          reviewId: randomUUID(),
          name: 'Quiet traveller',
          comment: 'A pleasant hour, easy to talk to.',
          rating: 3 + randomInteger(2),
        },
        reviewerId,
      );
    }),
    ...(number % FEATURED_EVERY === 0 ? [createLaterEvent('AdFeatured', { ...ids, isFeatured: true })] : []),
    ...(number % DELETED_EVERY === 0
      ? [{ ...createLaterEvent('AdDeleted', { ...ids, reason: null }), at_ms: FROM_ms + YEAR_ms + number }]
      : []),
  ];
}

function toEvent({ at_ms, type, data, by }: HistoryEvent): EventToAppend {
  return {
    id: uuidv7(),
    type,
    version: findEventDefinition(type)?.version ?? 1,
    data,
    meta: {
      correlationId: randomUUID(),
      causationId: null,
      actor: { kind: 'account', accountId: by },
      at: new Date(at_ms).toISOString(),
    },
  };
}
