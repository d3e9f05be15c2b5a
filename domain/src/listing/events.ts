import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { loggedAndDisclosed, loggedWithReason, ownRecord, sealed } from '../event-policies.ts';
import { withNullDefaults } from '../null-defaults.ts';
import { isStockPicture } from '../media/stock-pictures.ts';
import { storedCaseId } from '../stored-ids.ts';
import { AD_FIELD_NAMES, AD_FIELDS, storedSchemas, type AdField } from './ad-fields.ts';

const ids = { accountId: z.string(), adId: z.string() };
const text = z.string();
const textOrNull = z.nullable(z.string());

const adFields = storedSchemas(AD_FIELD_NAMES);

/**
 * Removes the stock pictures that earlier builds stored for an ad without photos. An `AdPosted` of a demo ad
 * keeps them, because they are its photos.
 */
function withoutStockPictures<Data extends { readonly photos?: string[] | undefined; readonly isDemo?: boolean }>(
  data: Data,
): Data {
  const { photos, isDemo = false } = data;
  return isDemo || !photos?.some(isStockPicture)
    ? data
    : { ...data, photos: photos.filter((id) => !isStockPicture(id)) };
}

/** The text and the rating of a review, with the ids of the review and of its author. */
const reviewFields = { ...ids, reviewId: text, name: text, comment: text, rating: z.number() };

/** The weight of a review in the average. Absent for demo reviews and for those before weights existed. */
const weight = z.optional(z.number());

/** The settings of events about reviews. Their personal fields are encrypted with the key of the author. */
const reviewPolicy = {
  secretFields: [],
  moderationLog: 'never',
  disclosedTo: 'subject',
  getSubjectId: (data: { reviewerId: string | null }) => data.reviewerId,
} as const;

/** The values that replace the fields of an ad after the personal data of the poster is erased. */
const personal = Object.fromEntries(
  Object.entries<AdField>(AD_FIELDS).flatMap(([name, { empty, isRetained }]) =>
    isRetained === true ? [] : [[name, empty]],
  ),
);

export const AdPosted = defineEvent('AdPosted', {
  version: 2,
  ...sealed,
  schema: z
    .object({
      ...ids,
      /** The idempotency key that the client chose for this request. Null if the client sent no key. */
      clientId: textOrNull,
      ...withNullDefaults(adFields),
      isDemo: z.boolean(),
      /**
       * The deleted ad that this ad continues. Absent if the account had no ad before, and in older events.
       * The ratings are those of its visible reviews.
       */
      earlier: z.optional(
        z.object({
          adId: text,
          createdAt: text,
          lastBumpedAt: text,
          ratingSum: z.number(),
          reviewCount: z.number(),
          /** The sum of ratings and the sum of weights by the weights of the reviews. Absent in older events. */
          weighed: z.optional(z.object({ ratingSum: z.number(), weightSum: z.number() })),
        }),
      ),
    })
    .check(z.overwrite(withoutStockPictures)),
  personalFields: personal,
  upcasters: { 1: (data) => ({ ...(data as object), video: null }) },
});

/**
 * A moderation case hides the ad because of a report, a moderator or a hiding rule. Several cases may hide the same ad.
 */
export const AdHidden = defineEvent('AdHidden', {
  version: 1,
  ...loggedAndDisclosed,
  schema: z.object({ ...ids, by: z.enum(['report', 'moderator', 'rule']), caseId: storedCaseId }),
});

export const listingEvents = [
  AdPosted,
  /** The owner changed the ad. The event contains only the changed fields. */
  defineEvent('AdUpdated', {
    version: 1,
    ...sealed,
    schema: z.object({ ...ids, ...z.partial(z.object(adFields)).shape }).check(z.overwrite(withoutStockPictures)),
    personalFields: Object.fromEntries(Object.keys(personal).map((field) => [field, undefined])),
  }),
  defineEvent('AdBumped', { version: 1, ...ownRecord, schema: z.object(ids) }),
  /** The ad was deleted by its owner or by an admin. `reason` is the reason that the admin gave, or null. */
  defineEvent('AdDeleted', {
    version: 2,
    ...loggedWithReason,
    moderationLog: 'by-others',
    schema: z.object({ ...ids, reason: textOrNull }),
    upcasters: { 1: (data) => ({ ...(data as object), reason: null }) },
  }),
  defineEvent('AdReviewed', {
    version: 1,
    ...reviewPolicy,
    schema: z.object({
      ...reviewFields,
      /** The author of the review. Null for demo reviews. */
      reviewerId: textOrNull,
      weight,
      /** The number of least-weight reviews in a week. Set only if moderators get a report. */
      wave: z.optional(z.number()),
    }),
    personalFields: { name: '', comment: '' },
  }),
  /** The author changed the review. `previousRating` is the rating before the change. */
  defineEvent('AdReviewEdited', {
    version: 1,
    ...reviewPolicy,
    schema: z.object({ ...reviewFields, reviewerId: text, previousRating: z.number(), weight }),
    personalFields: { name: '', comment: '' },
  }),
  /** The author deleted the review, which had the rating `rating`. */
  defineEvent('AdReviewDeleted', {
    version: 1,
    ...reviewPolicy,
    schema: z.object({ ...ids, reviewerId: text, reviewId: text, rating: z.number(), weight }),
    personalFields: {},
  }),
  /**
   * A moderator removed the review. `rating` is the rating of the removed review. It is null if the author had already
   * deleted the review.
   */
  defineEvent('AdReviewRemoved', {
    version: 1,
    ...reviewPolicy,
    moderationLog: 'always',
    schema: z.object({
      ...ids,
      reviewerId: textOrNull,
      reviewId: text,
      rating: z.nullable(z.number()),
      weight,
      reason: textOrNull,
    }),
    personalFields: { reason: null },
  }),
  /** An admin added the ad to the featured ads, or removed it from them. */
  defineEvent('AdFeatured', {
    version: 1,
    ...loggedAndDisclosed,
    schema: z.object({ ...ids, isFeatured: z.boolean() }),
  }),
  AdHidden,
  /** A moderation case has stopped hiding the ad. The ad stays hidden if other cases still hide it. */
  defineEvent('AdHoldLifted', {
    version: 1,
    ...loggedAndDisclosed,
    schema: z.object({ ...ids, caseId: storedCaseId }),
  }),
  /** The last moderation case that hid the ad has stopped hiding it, so the ad is visible again. */
  defineEvent('AdRestored', { version: 1, ...loggedAndDisclosed, schema: z.object({ ...ids, caseId: storedCaseId }) }),
] as const;
export type ListingEvent = EventFromDefinition<(typeof listingEvents)[number]>;
