import * as z from 'zod/mini';
import { optionalText, requiredLine, requiredText } from '../text-fields.ts';
import { COUNTRIES, isPlaceOf } from '../places/places.ts';

/** Field rules of the community: threads and the posts in them. A thread's opening post has the number 0, its replies count from 1. */

export const THREAD_TITLE_MIN = 5;
export const THREAD_TITLE_MAX = 120;
/** Of the Markdown as it is written. */
export const POST_BODY_MAX = 10_000;
export const MODERATION_REASON_MAX = 500;

/** A thread's id as it stands in addresses. */
export const THREAD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

export const threadTitle = requiredLine('Title', THREAD_TITLE_MAX, THREAD_TITLE_MIN);
export const postBody = requiredText('Text', POST_BODY_MAX);

export const UNKNOWN_CITY = 'Please choose a country, a state and one of its cities';

const countryCode = z.pipe(
  z._default(z.string(UNKNOWN_CITY).check(z.trim(), z.toLowerCase()), COUNTRIES[0]?.code ?? ''),
  z.string(),
);
/** A city where threads may stand, spelled as in our data. */
const placeFields = { country: countryCode, state: requiredText('State', 40), city: requiredText('City', 80) };
const isKnown = (place: { readonly country: string; readonly state: string; readonly city: string }) =>
  isPlaceOf(place.country, place.state, place.city);
const unknownCity = { error: UNKNOWN_CITY, path: ['city'] };

/** `POST /community/threads`. */
export const newThreadFields = z
  .object({ ...placeFields, title: threadTitle, body: postBody })
  .check(z.refine(isKnown, unknownCity));
export type NewThreadFields = z.output<typeof newThreadFields>;

const postNumber = z.int('Which post?').check(z.gte(0, 'Which post?'), z.lte(1_000_000, 'Which post?'));

/** `POST /community/threads/{id}/replies`. `quotedNumber` is the post of the same thread it answers to. */
export const newReplyFields = z.object({ body: postBody, quotedNumber: z._default(z.nullable(postNumber), null) });

/** `PUT /community/threads/{id}/posts/{number}`. Only an opening post has a title. */
export const postChanges = z.object({ title: z.optional(threadTitle), body: postBody });

/** `POST /community/preview`. */
export const previewFields = z.object({ body: postBody });

/** Why a moderator did it: the author reads it. */
const reason = z._default(optionalText('Reason', MODERATION_REASON_MAX), null);
export const hideFields = z.object({ hidden: z.boolean('Should it be hidden, true or false?'), reason });
export const lockFields = z.object({ locked: z.boolean('Should it be locked, true or false?') });
export const pinFields = z.object({ pinned: z.boolean('Should it be pinned, true or false?') });
export const moveFields = z.object(placeFields).check(z.refine(isKnown, unknownCity));
