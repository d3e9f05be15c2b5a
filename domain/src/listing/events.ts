import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

const ids = { accountId: z.string(), adId: z.string() };
const subjectOf = (data: { accountId: string }) => data.accountId;
const text = z.string();
const textOrNull = z.nullable(z.string());

const socialMedia = z.nullable(
  z.object({
    instagram: textOrNull,
    twitter: textOrNull,
    facebook: textOrNull,
    snapchat: textOrNull,
    tiktok: textOrNull,
    onlyfans: textOrNull,
    website: textOrNull,
  }),
);

export const AdPosted = defineEvent('AdPosted', {
  version: 1,
  schema: z.object({
    ...ids,
    /** The id the client made up, remembered as this request's idempotency key; null when it sent none. */
    clientId: textOrNull,
    name: text,
    title: text,
    category: z.enum(['escort', 'massage', 'companion', 'fetish']),
    state: text,
    city: text,
    description: text,
    price: textOrNull,
    body: textOrNull,
    phone: textOrNull,
    socialMedia,
    /** Media ids, the cover first. */
    photos: z.array(text),
    isDemo: z.boolean(),
  }),
  personal: { name: '', title: '', description: '', body: null, phone: null, socialMedia: null },
  subjectOf,
});

/** Carries the changed fields only. */
export const AdUpdated = defineEvent('AdUpdated', {
  version: 1,
  schema: z.object({
    ...ids,
    name: z.optional(text),
    title: z.optional(text),
    category: z.optional(z.enum(['escort', 'massage', 'companion', 'fetish'])),
    state: z.optional(text),
    city: z.optional(text),
    description: z.optional(text),
    price: z.optional(textOrNull),
    body: z.optional(textOrNull),
    phone: z.optional(textOrNull),
    socialMedia: z.optional(socialMedia),
    photos: z.optional(z.array(text)),
  }),
  personal: { name: undefined, title: undefined, description: undefined, body: undefined, phone: undefined, socialMedia: undefined },
  subjectOf,
});

export const AdBumped = defineEvent('AdBumped', { version: 1, schema: z.object(ids) });

export const AdDeleted = defineEvent('AdDeleted', { version: 1, schema: z.object(ids) });

export const AdReviewed = defineEvent('AdReviewed', {
  version: 1,
  schema: z.object({
    ...ids,
    /** Whose words these are; null for demo reviews. */
    reviewerId: textOrNull,
    reviewId: text,
    name: text,
    comment: text,
    rating: z.number(),
  }),
  personal: { name: '', comment: '' },
  subjectOf: (data: { reviewerId: string | null }) => data.reviewerId,
});

export const listingEvents = [AdPosted, AdUpdated, AdBumped, AdDeleted, AdReviewed] as const;
export type ListingEvent = EventOf<(typeof listingEvents)[number]>;
