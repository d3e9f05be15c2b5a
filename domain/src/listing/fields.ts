import * as z from 'zod/mini';
import { isMistakableForOfficial, OFFICIAL_NAME_MESSAGE } from '../official-names.ts';
import { registerRequestSchema, registerBody } from '../api/component.ts';
import { MAX_PHOTOS, RATING_MAX, RATING_MIN, REVIEW_COMMENT_MAX } from '../constants.ts';
import { errorMessage } from '../error-catalogue.ts';
import { isCityInState } from '../places/places.ts';
import { optionalText, REQUIRED_FIELDS_MESSAGE, requiredText } from '../text-fields.ts';
import { CATEGORIES } from './categories.ts';

/** Rejects names that look like names of the operator. */
const isNotOfficial = z.refine<string | null>(
  (name) => name === null || !isMistakableForOfficial(name),
  OFFICIAL_NAME_MESSAGE,
);

/**
 * Validation rules for the fields of an ad. The same schemas validate forms and commands, and
 * describe the API.
 */

export { CATEGORIES, type Category } from './categories.ts';
export { REQUIRED_FIELDS_MESSAGE as REQUIRED };

/** Matches the id of an ad in URLs. */
export const AD_ID_PATTERN = /^[\w-]{1,64}$/u;

/** Matches the id of a review in URLs. */
export const REVIEW_ID_PATTERN = /^[\w-]{1,64}$/u;

const TOO_MANY_PHOTOS = `Maximum ${MAX_PHOTOS} photos allowed`;
const NOT_A_PHOTO_URL = errorMessage('PHOTO_NOT_YOURS');
const NOT_A_VIDEO_URL = errorMessage('VIDEO_NOT_YOURS');
const BAD_CONTACT_TOKEN = errorMessage('CONTACT_TOKEN_INVALID');

export const NAME_MAX = 60;
export const TITLE_MAX = 120;
export const DESCRIPTION_MAX = 5_000;
export const BODY_MAX = 500;
export const PRICE_MAX = 40;

const PHONE = /^\+?[0-9 ().-]{7,24}$/u;
const phone = optionalText('Phone', 24).check(
  z.refine(
    (value) => value === null || (PHONE.test(value) && value.replaceAll(/\D/gu, '').length >= 7),
    'Please enter a valid phone number',
  ),
);

function isWebAddress(value: string): boolean {
  try {
    const url = new URL(value);
    return (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname.includes('.');
  } catch {
    return false;
  }
}

/** Matches a text that begins with a negative amount, e.g. `-100`, `$-100` or `-$100`. */
const NEGATIVE_AMOUNT = /^(?:\$\s*[-\u2212]|[-\u2212]\s*\$?)\s*\d/u;
/** The price is a free text, e.g. `200/hour` or `150 to 200`, so only a negative amount is rejected. */
const price = optionalText('Price', PRICE_MAX).check(
  z.refine((value) => value === null || !NEGATIVE_AMOUNT.test(value), 'The price cannot be negative'),
);

const HANDLE_OR_LINK = /^@?[\w.-]{1,60}$/u;
/**
 * Returns the schema of a social media link: a handle (`@alpen.glow`) or an http(s) URL. Other URL schemes, such as
 * `javascript:`, are rejected, because they could run a script.
 */
const social = (label: string) =>
  optionalText(label, 200).check(
    z.refine(
      (value) => value === null || HANDLE_OR_LINK.test(value) || isWebAddress(value),
      `${label} must be a handle or a web address`,
    ),
  );

const website = optionalText('Website', 200).check(
  z.refine((value) => value === null || isWebAddress(value), 'Website must start with http:// or https://'),
);

const socialMediaFields = registerRequestSchema(
  'SocialMediaFields',
  z.object(
    {
      instagram: z._default(social('Instagram'), null),
      twitter: z._default(social('Twitter'), null),
      facebook: z._default(social('Facebook'), null),
      snapchat: z._default(social('Snapchat'), null),
      tiktok: z._default(social('TikTok'), null),
      onlyfans: z._default(social('OnlyFans'), null),
      website: z._default(website, null),
    },
    'Social media must be an object with one link for each network',
  ),
);

/** Matches the URL of an uploaded photo: `/uploads/photos/<media id>/…`. The part `/uploads/` is optional. */
const PHOTO_PATH = /^(?:https?:\/\/[^/]+)?\/?(?:uploads\/)?photos\/([\w-]{1,64})(?:\/[\w.]{1,20})?$/u;

/** Returns the media id in the URL of an uploaded photo, or null for any other URL. */
export function parsePhotoUrl(photoUrl: string): string | null {
  return PHOTO_PATH.exec(photoUrl)?.[1] ?? null;
}

const photos = z.array(z.string(NOT_A_PHOTO_URL).check(z.maxLength(300)), 'Photos must be a list').check(
  z.maxLength(MAX_PHOTOS, TOO_MANY_PHOTOS),
  z.refine((urls) => urls.every((url) => parsePhotoUrl(url) !== null), NOT_A_PHOTO_URL),
  z.refine((urls) => new Set(urls.map(parsePhotoUrl)).size === urls.length, 'The same photo is listed twice'),
);

/** Matches the URL of an uploaded video: `/uploads/video/<media id>`. The part `/uploads/` is optional. */
const VIDEO_PATH = /^(?:https?:\/\/[^/]+)?\/?(?:uploads\/)?video\/([\w-]{1,64})$/u;

/** Returns the media id in the URL of an uploaded video, or null for any other URL. */
export function parseVideoUrl(videoUrl: string): string | null {
  return VIDEO_PATH.exec(videoUrl)?.[1] ?? null;
}

/** The URL of an uploaded video. Null and a blank text both mean no video. */
const video = z.nullable(
  z.pipe(
    z.string(NOT_A_VIDEO_URL).check(
      z.trim(),
      z.maxLength(300, NOT_A_VIDEO_URL),
      z.refine((url) => url === '' || parseVideoUrl(url) !== null, NOT_A_VIDEO_URL),
    ),
    z.transform((url) => (url === '' ? null : url)),
  ),
);

const fields = {
  name: requiredText('Name', NAME_MAX).check(isNotOfficial),
  title: requiredText('Title', TITLE_MAX),
  category: z.enum(CATEGORIES, 'Please choose a category'),
  state: requiredText('State', 2),
  city: requiredText('City', 60),
  description: requiredText('Description', DESCRIPTION_MAX),
  price,
  body: optionalText('Body', BODY_MAX),
  phone,
  socialMedia: z.nullable(socialMediaFields),
  photos,
  video,
};

export const UNKNOWN_PLACE_MESSAGE = 'Please choose a state and one of its cities';

/**
 * All fields of a new ad. `photos` and `video` are URLs of uploads. An ad without photos shows the demo fallback
 * pictures.
 */
export const newAdFields = registerRequestSchema(
  'NewAd',
  z
    .object({
      ...fields,
      price: z._default(fields.price, null),
      body: z._default(fields.body, null),
      phone: z._default(fields.phone, null),
      socialMedia: z._default(fields.socialMedia, null),
      photos: z._default(fields.photos, []),
      video: z._default(fields.video, null),
    })
    .check(z.refine((ad) => isCityInState(ad.state, ad.city), { error: UNKNOWN_PLACE_MESSAGE, path: ['city'] })),
);
export type NewAdFields = z.output<typeof newAdFields>;

/**
 * The changed fields of an ad, in any combination. A request may contain the city without the state, or the state
 * without the city. The decider, and not this schema, therefore checks whether the city is in the state.
 */
export const updateAdFields = registerRequestSchema('AdChanges', z.partial(z.object(fields)));
export type AdChanges = z.output<typeof updateAdFields>;

const BAD_RATING = `Rating must be a whole number from ${RATING_MIN} to ${RATING_MAX}`;

/** The review of an ad by a client. The default name is the display name of the reviewer. */
export const reviewFields = registerBody('NewReview', {
  name: z._default(optionalText('Name', NAME_MAX).check(isNotOfficial), null),
  comment: requiredText('Comment', REVIEW_COMMENT_MAX),
  rating: z
    .int({ error: ({ input }) => (input === undefined || input === null ? REQUIRED_FIELDS_MESSAGE : BAD_RATING) })
    .check(z.gte(RATING_MIN, BAD_RATING), z.lte(RATING_MAX, BAD_RATING)),
});
export type ReviewFields = z.output<typeof reviewFields>;

/** Request body of `POST /ads/{id}/contact`, with the `contactToken` of the ad. */
export const contactRequestFields = registerBody('ContactRequest', {
  token: z.string(BAD_CONTACT_TOKEN).check(z.maxLength(100, BAD_CONTACT_TOKEN)),
});

/** Request body of `PUT /admin/ads/{id}/featured`, which adds an ad to the featured ads or removes it. */
export const featureAdFields = registerBody('Feature', {
  featured: z.boolean('Featured must be true or false'),
});
