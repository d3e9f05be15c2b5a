import * as z from 'zod/mini';
import { MAX_PHOTOS, RATING_MAX, RATING_MIN, REVIEW_COMMENT_MAX } from '../constants.ts';
import { isPlace } from '../places/places.ts';
import { optionalText, REQUIRED, requiredText } from '../text-fields.ts';
import { CATEGORIES } from './categories.ts';

/** Field rules of an ad (specification, sections 3 and 5): the same schema guards the form, the command and the documentation. */

export { CATEGORIES, type Category } from './categories.ts';
export { REQUIRED };

/** An ad id as it stands in addresses. */
export const AD_ID = /^[\w-]{1,64}$/u;

export const TOO_MANY_PHOTOS = `Maximum ${MAX_PHOTOS} photos allowed`;
const NOT_A_VIDEO_ADDRESS = 'A video must be the address its upload answered';

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

const HANDLE_OR_LINK = /^@?[\w.-]{1,60}$/u;
/** A handle (`@alpen.glow`) or an http(s) address. Nothing else, so a link can never carry a script. */
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

export const socialMediaFields = z.object({
  instagram: z._default(social('Instagram'), null),
  twitter: z._default(social('Twitter'), null),
  facebook: z._default(social('Facebook'), null),
  snapchat: z._default(social('Snapchat'), null),
  tiktok: z._default(social('TikTok'), null),
  onlyfans: z._default(social('OnlyFans'), null),
  website: z._default(website, null),
});

/** `/uploads/photos/<media id>/…`, as the upload answered it; relative forms get the uploads prefix (specification, section 3). */
const PHOTO_PATH = /^(?:https?:\/\/[^/]+)?\/?(?:uploads\/)?photos\/([\w-]{1,64})(?:\/[\w.]{1,20})?$/u;

/** The media id in a photo URL, or null when the URL is none of ours. */
export function mediaIdOf(photoUrl: string): string | null {
  return PHOTO_PATH.exec(photoUrl)?.[1] ?? null;
}

const photos = z
  .array(z.string('A photo must be the address its upload answered').check(z.maxLength(300)), 'Photos must be a list')
  .check(
    z.maxLength(MAX_PHOTOS, TOO_MANY_PHOTOS),
    z.refine((urls) => urls.every((url) => mediaIdOf(url) !== null), 'A photo must be the address its upload answered'),
    z.refine((urls) => new Set(urls.map(mediaIdOf)).size === urls.length, 'The same photo is listed twice'),
  );

/** `/uploads/video/<media id>`, in the same forms as a photo's address. */
const VIDEO_PATH = /^(?:https?:\/\/[^/]+)?\/?(?:uploads\/)?video\/([\w-]{1,64})$/u;

/** The media id in a video URL, or null when the URL is none of ours. */
export function videoIdOf(videoUrl: string): string | null {
  return VIDEO_PATH.exec(videoUrl)?.[1] ?? null;
}

/** The address of an upload; null and blank both mean no video. */
const video = z.nullable(
  z.pipe(
    z.string(NOT_A_VIDEO_ADDRESS).check(
      z.trim(),
      z.maxLength(300, NOT_A_VIDEO_ADDRESS),
      z.refine((url) => url === '' || videoIdOf(url) !== null, NOT_A_VIDEO_ADDRESS),
    ),
    z.transform((url) => (url === '' ? null : url)),
  ),
);

const fields = {
  name: requiredText('Name', NAME_MAX),
  title: requiredText('Title', TITLE_MAX),
  category: z.enum(CATEGORIES, 'Please choose a category'),
  state: requiredText('State', 2),
  city: requiredText('City', 60),
  description: requiredText('Description', DESCRIPTION_MAX),
  price: optionalText('Price', PRICE_MAX),
  body: optionalText('Body', BODY_MAX),
  phone,
  socialMedia: z.nullable(socialMediaFields),
  photos,
  video,
};

export const UNKNOWN_PLACE = 'Please choose a state and one of its cities';

/** All fields of a new ad. `photos` and `video` are URLs of uploads; no photos means the demo fallback pictures (specification, section 5). */
export const newAdFields = z
  .object({
    ...fields,
    price: z._default(fields.price, null),
    body: z._default(fields.body, null),
    phone: z._default(fields.phone, null),
    socialMedia: z._default(fields.socialMedia, null),
    photos: z._default(fields.photos, []),
    video: z._default(fields.video, null),
  })
  .check(z.refine((ad) => isPlace(ad.state, ad.city), { error: UNKNOWN_PLACE, path: ['city'] }));
export type NewAdFields = z.output<typeof newAdFields>;

/** Any subset of an ad's fields. Whether state and city still fit each other is for the decider, who knows the other half. */
export const adChanges = z.partial(z.object(fields));
export type AdChanges = z.output<typeof adChanges>;

const BAD_RATING = `Rating must be a whole number from ${RATING_MIN} to ${RATING_MAX}`;

/** What a client says about an ad (specification, section 3: name, comment, rating). Without a name, the reviewer's display name stands. */
export const reviewFields = z.object({
  name: z._default(optionalText('Name', NAME_MAX), null),
  comment: requiredText('Comment', REVIEW_COMMENT_MAX),
  rating: z
    .int({ error: ({ input }) => (input === undefined || input === null ? REQUIRED : BAD_RATING) })
    .check(z.gte(RATING_MIN, BAD_RATING), z.lte(RATING_MAX, BAD_RATING)),
});
export type ReviewFields = z.output<typeof reviewFields>;

/** `PUT /admin/ads/{id}/featured`. */
export const featureFields = z.object({ featured: z.boolean('Should the ad be featured, true or false?') });
