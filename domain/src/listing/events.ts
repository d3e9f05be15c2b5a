import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';
import type { NewAdFields } from './fields.ts';

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

/** The fields a poster fills in. Every field rule has its counterpart here, or this does not compile. */
const adFields = {
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
  /** A media id. */
  video: textOrNull,
} satisfies Record<keyof NewAdFields, z.ZodMiniType>;

const KEPT = Symbol('identifies nobody');

/** What each field reads as once the poster is erased: words a person wrote go, facts about the market stay. */
const onErasure: Readonly<Record<keyof typeof adFields, unknown>> = {
  name: '',
  title: '',
  category: KEPT,
  state: KEPT,
  city: KEPT,
  description: '',
  price: KEPT,
  body: null,
  phone: null,
  socialMedia: null,
  photos: KEPT,
  video: KEPT,
};
const personal = Object.fromEntries(Object.entries(onErasure).filter(([, replacement]) => replacement !== KEPT));

export const AdPosted = defineEvent('AdPosted', {
  version: 2,
  schema: z.object({
    ...ids,
    /** The id the client made up, remembered as this request's idempotency key; null when it sent none. */
    clientId: textOrNull,
    ...adFields,
    isDemo: z.boolean(),
  }),
  personal,
  subjectOf,
  upcasts: { 1: (data) => ({ ...(data as object), video: null }) },
});

/** Carries the changed fields only. */
export const AdUpdated = defineEvent('AdUpdated', {
  version: 1,
  schema: z.object({ ...ids, ...z.partial(z.object(adFields)).shape }),
  personal: Object.fromEntries(Object.keys(personal).map((field) => [field, undefined])),
  subjectOf,
});

export const AdBumped = defineEvent('AdBumped', { version: 1, schema: z.object(ids) });

/** `reason` is that of an admin who took it down; null where its owner did, or where none was given. */
export const AdDeleted = defineEvent('AdDeleted', {
  version: 2,
  schema: z.object({ ...ids, reason: textOrNull }),
  personal: { reason: null },
  subjectOf,
  upcasts: { 1: (data) => ({ ...(data as object), reason: null }) },
});

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

/** An admin puts the ad among the featured ones, or takes it out. */
export const AdFeatured = defineEvent('AdFeatured', {
  version: 1,
  schema: z.object({ ...ids, isFeatured: z.boolean() }),
});

/** A case holds the ad out of sight: a report's that asks for it, a moderator's, or that of a hiding rule. Several cases may hold one ad. */
export const AdHidden = defineEvent('AdHidden', {
  version: 1,
  schema: z.object({ ...ids, by: z.enum(['report', 'moderator', 'rule']), caseId: text }),
});

/** A case lets go of an ad that others still hold: it stays out of sight. */
export const AdHoldLifted = defineEvent('AdHoldLifted', { version: 1, schema: z.object({ ...ids, caseId: text }) });

/** The last case that held the ad lets go: it is to be seen again. */
export const AdRestored = defineEvent('AdRestored', { version: 1, schema: z.object({ ...ids, caseId: text }) });

export const listingEvents = [
  AdPosted,
  AdUpdated,
  AdBumped,
  AdDeleted,
  AdReviewed,
  AdFeatured,
  AdHidden,
  AdHoldLifted,
  AdRestored,
] as const;
export type ListingEvent = EventOf<(typeof listingEvents)[number]>;
