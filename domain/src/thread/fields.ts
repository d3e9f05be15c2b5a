import * as z from 'zod/mini';
import { registerRequestSchema, registerBody } from '../api/component.ts';
import { optionalText, requiredLine, requiredText } from '../text-fields.ts';
import { COUNTRIES, isCityInCountry } from '../places/places.ts';

/**
 * Validation rules for threads in the community and their posts. The opening post has the number 0. Replies are counted
 * from 1.
 */

const THREAD_TITLE_MIN = 5;
export const THREAD_TITLE_MAX = 120;
/** Maximum length of the Markdown text of a post. */
export const POST_BODY_MAX = 10_000;
export const MODERATION_REASON_MAX = 500;

/** The pattern for the id of a thread in URLs. */
export const THREAD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

const threadTitle = requiredLine('Title', THREAD_TITLE_MAX, THREAD_TITLE_MIN);
const postBody = requiredText('Text', POST_BODY_MAX);

const UNKNOWN_CITY = 'Please choose a country, a state and one of its cities';

const countryCode = z.pipe(
  z._default(z.string(UNKNOWN_CITY).check(z.trim(), z.toLowerCase()), COUNTRIES[0]?.code ?? ''),
  z.string(),
);
/** The city of a thread, spelled as in `places.json`. */
const placeFields = { country: countryCode, state: requiredLine('State', 40), city: requiredLine('City', 80) };
const isKnown = (place: { readonly country: string; readonly state: string; readonly city: string }) =>
  isCityInCountry(place.country, place.state, place.city);
const unknownCity = { error: UNKNOWN_CITY, path: ['city'] };

/** Request body of `POST /community/threads`. */
export const newThreadFields = registerRequestSchema(
  'NewThread',
  z.object({ ...placeFields, title: threadTitle, body: postBody }).check(z.refine(isKnown, unknownCity)),
);
export type NewThreadFields = z.output<typeof newThreadFields>;

const postNumber = z
  .int('Please choose a post')
  .check(z.gte(0, 'Please choose a post'), z.lte(1_000_000, 'Please choose a post'));

/**
 * Request body of `POST /community/threads/{id}/replies`. `quotedNumber` is the number of a post in the same thread.
 */
export const newReplyFields = registerBody('NewReply', {
  body: postBody,
  quotedNumber: z._default(z.nullable(postNumber), null),
});

/** Request body of `PUT /community/threads/{id}/posts/{number}`. Only an opening post has a title. */
export const editPostFields = registerBody('PostChanges', { title: z.optional(threadTitle), body: postBody });

/** Request body of `POST /community/preview`. */
export const previewFields = registerBody('PostPreview', { body: postBody });

/** A moderator's reason for hiding a post. The author of the post reads this reason. */
const reason = z._default(optionalText('Reason', MODERATION_REASON_MAX), null);
export const hidePostFields = registerBody('Hide', {
  hidden: z.boolean('Hidden must be true or false'),
  reason,
});
export const lockThreadFields = registerBody('Lock', { locked: z.boolean('Locked must be true or false') });
export const pinThreadFields = registerBody('Pin', { pinned: z.boolean('Pinned must be true or false') });
export const moveThreadFields = registerRequestSchema(
  'Move',
  z.object(placeFields).check(z.refine(isKnown, unknownCity)),
);
