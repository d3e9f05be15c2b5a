import * as z from 'zod/mini';
import { isMistakableForOfficial, OFFICIAL_NAME_MESSAGE } from '../official-names.ts';
import { registerRequestSchema, registerBody } from '../api/component.ts';
import { MAX_PHOTOS, RATING_MAX, RATING_MIN, REVIEW_COMMENT_MAX } from '../constants.ts';
import { toAsciiDigits } from '../digits.ts';
import { SOCIAL_NETWORK_DOMAINS } from '../contracts/social-networks.ts';
import { errorMessage } from '../error-catalogue.ts';
import { withNullDefaults } from '../null-defaults.ts';
import { isCityInState } from '../places/places.ts';
import {
  optionalLine,
  optionalText,
  REQUIRED_FIELDS_MESSAGE,
  requiredLine,
  requiredText,
  toOneLine,
} from '../text-fields.ts';
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

/** Invisible characters that copied texts contain, and the box of a keycap. */
const INVISIBLE = /[\p{Cf}\uFE0F\u20E3]/gu;

const PHONE = /^\+?[0-9 ().-]{7,24}$/u;
export const BAD_PHONE_MESSAGE = 'Please enter a valid phone number';

/** Matches an address of a messenger with a phone number, and captures its digits with the country code. */
const CHAT_ADDRESS =
  /^(?:(?:https?:\/\/)?(?:wa\.me\/|(?:api|web)\.whatsapp\.com\/send\/?\?(?:.*&)?phone=)|whatsapp:\/\/send\/?\?(?:.*&)?phone=)(?:\+|%2B)?(\d{7,15})(?:[/?&#].*)?$/iu;
const PHONE_SCHEME = /^(?:tel|sms|callto|whatsapp):(?:\/\/)?([^?]*).*$/iu;
/** Matches a mail address or a web address, whose digits are no phone number. */
const OTHER_ADDRESS = /@|\/\/|^https?:|\.\p{L}+\//iu;
/** Matches what precedes the first digit of a phone number and its plus sign and bracket. */
const BEFORE_NUMBER = /^.*?(?=\+? ?\(?[ +]*\d)/u;
/** A longer text is no phone number. Some patterns here need time that grows with the square of the length. */
const COPIED_PHONE_MAX = 200;
const EXTENSION = /(?:ext|x|#)\D{0,8}\d{1,6}$/iu;

/**
 * Returns a copied phone number without invisible characters and the words around it, and with ASCII digits, spaces and
 * hyphens: the scheme of a link and the brackets of `(+1)` are removed, other brackets are round, and separators such
 * as a slash or a bullet are hyphens. A link to a chat becomes its number.
 */
function normalizePhoneText(text: string): string {
  if (text.length > COPIED_PHONE_MAX) return text;
  const plain = toAsciiDigits(text.normalize('NFKC'))
    .replaceAll(INVISIBLE, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replace(CHAT_ADDRESS, '+$1')
    .replace(PHONE_SCHEME, '$1');
  if (OTHER_ADDRESS.test(plain)) return plain;
  return plain
    .replaceAll(/[\p{Pd}\u2212\u2043/·•∙‧・_,]/gu, '-')
    .replaceAll(/[[{]/gu, '(')
    .replaceAll(/[\]}]/gu, ')')
    .replace(BEFORE_NUMBER, '')
    .replace(/(\d)\D+$/u, '$1')
    .trim()
    .replace(/^\( ?(\+ ?\d{1,3}) ?\)/u, '$1');
}

const PHONE_MAX = 24;
/** The maximum number of digits of a phone number (E.164). A text with more contains two numbers. */
const PHONE_MAX_digits = 15;
const ONE_PHONE_MESSAGE = 'Please enter only one phone number';
const hasSeveralNumbers = (text: string) => text.replaceAll(/\D/gu, '').length > PHONE_MAX_digits;

/** The phone number as text. The decider parses it, because browsers have no list of telephone numbers. */
const phone = optionalText('Phone', PHONE_MAX, normalizePhoneText, (text) =>
  hasSeveralNumbers(text) ? ONE_PHONE_MESSAGE : `Phone must be at most ${PHONE_MAX} characters`,
).check(
  z.refine((value) => value === null || !hasSeveralNumbers(value), { abort: true, error: ONE_PHONE_MESSAGE }),
  z.refine((value) => value === null || !EXTENSION.test(value), {
    abort: true,
    error: 'Please enter a phone number without an extension',
  }),
  z.refine(
    (value) => value === null || (PHONE.test(value) && value.replaceAll(/\D/gu, '').length >= 7),
    BAD_PHONE_MESSAGE,
  ),
);

/**
 * Matches the beginning of an http(s) URL up to the end of its host. A URL with a user name could imitate another site,
 * `http:/` has lost a slash, and browsers read a backslash as a slash.
 */
const WEB_ORIGIN = /^https?:\/\/[^/@?#\\]+(?:[/?#][^\\]*)?$/iu;
/** Matches a label of a host name with letters of two alphabets, which imitates another name. */
const MIXED_LABEL = /(?=[^.]*\p{Script=Latin})[^.]*[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u;
const hasMixedScripts = (url: string) => MIXED_LABEL.test(/^https?:\/\/([^/?#]*)/iu.exec(url)?.[1] ?? '');

const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/u;
const LOCAL_HOST = /(?:^|\.)(?:localhost|local|localdomain|internal)\.?$/iu;

/** Checks an http(s) URL of the public web. */
function isWebAddress(value: string): boolean {
  if (!WEB_ORIGIN.test(value) || hasMixedScripts(value)) return false;
  try {
    const { hostname } = new URL(value);
    // Browsers also read `0x7f.1` as an IP address, and write it as `127.0.0.1`.
    return hostname.includes('.') && !IP_ADDRESS.test(hostname) && !LOCAL_HOST.test(hostname);
  } catch {
    return false;
  }
}

/** Checks whether a URL leads to one of the domains or to a subdomain of one. */
function isAt(value: string, domains: readonly string[]): boolean {
  const { hostname } = new URL(value);
  return domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}

/** Checks whether a URL has a path or parameters after its host, such as the name of a person. */
function hasName(value: string): boolean {
  const { pathname, search } = new URL(value);
  return /[^/]/u.test(pathname) || search.length > 1;
}

/** Matches a text that begins with a negative amount, e.g. `-100`, `$-100` or `-€100`. */
const NEGATIVE_AMOUNT = /^(?:\p{Sc}\s*[-\u2212]|[-\u2212]\s*\p{Sc}?)\s*\d/u;
/** Matches what separates the words of a price. A currency sign belongs to the letters next to it. */
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{Sc}]+/u;
const WORD = /^\p{L}[\p{L}\p{M}]+$/u;
/** Checks whether a price names a currency without a number and without a separate word, e.g. `abc$$$`. */
const hasNoAmount = (value: string) =>
  /\p{Sc}/u.test(value) && !/\p{N}/u.test(value) && !value.split(BETWEEN_WORDS).some((part) => WORD.test(part));
/** The price is a free text, e.g. `200/hour`, `150 to 200` or `ask me`. */
const price = optionalLine('Price', PRICE_MAX).check(
  z.refine((value) => value === null || !NEGATIVE_AMOUNT.test(value), 'The price cannot be negative'),
  z.refine(
    (value) => value === null || !hasNoAmount(value),
    'Please enter an amount, such as 200/h, or words such as “on request”',
  ),
);

/** Matches the host name of a URL without scheme, and what follows it. */
const HOST = /^[\p{L}\d][\p{L}\p{M}\d_-]*(?:\.[\p{L}\p{M}\d_-]+)*\.\p{L}[\p{L}\p{M}\d-]+(?:[:/?#]|$)/u;
const completeWebsite = (text: string) => {
  const link = toOneLine(text).replaceAll(INVISIBLE, '').normalize('NFC').trim();
  return HOST.test(link) ? `https://${link}` : link;
};
const HANDLE = /^@?[\w.-]{1,60}$/u;
/** Completes `instagram.com/robin` and `www.example.com`. A text without slash, such as `robin.nights`, is a handle. */
const completeLink = (text: string) => {
  const handle = text.replaceAll(INVISIBLE, '').trim();
  return HANDLE.test(handle) && !/^www\./iu.test(handle) ? handle : completeWebsite(text);
};

/**
 * Returns the schema of a social media link: a handle (`@alpen.glow`), or an http(s) URL of the network with a name.
 * Other URL schemes, such as `javascript:`, are rejected, because they could run a script. Another domain is rejected,
 * because visitors would take it for the network.
 */
const social = (label: string, domains: readonly string[]) => {
  const checkLink = (isValid: (url: string) => boolean, error: string) =>
    z.refine<string | null>((value) => value === null || HANDLE.test(value) || isValid(value), { abort: true, error });
  return optionalText(label, 200, completeLink).check(
    checkLink(isWebAddress, `${label} must be a handle or a web address`),
    checkLink(
      (url) => isAt(url, domains),
      `${label} must be an address of this network. Please use the website field for other addresses.`,
    ),
    checkLink(hasName, `${label} must contain your name at this network`),
  );
};

const website = optionalText('Website', 200, completeWebsite).check(
  z.refine((value) => value === null || isWebAddress(value), 'Please enter a web address such as https://example.com'),
);

const socialMediaFields = registerRequestSchema(
  'SocialMediaFields',
  z.object(
    {
      instagram: z._default(social('Instagram', SOCIAL_NETWORK_DOMAINS.instagram), null),
      twitter: z._default(social('Twitter', SOCIAL_NETWORK_DOMAINS.twitter), null),
      facebook: z._default(social('Facebook', SOCIAL_NETWORK_DOMAINS.facebook), null),
      snapchat: z._default(social('Snapchat', SOCIAL_NETWORK_DOMAINS.snapchat), null),
      tiktok: z._default(social('TikTok', SOCIAL_NETWORK_DOMAINS.tiktok), null),
      onlyfans: z._default(social('OnlyFans', SOCIAL_NETWORK_DOMAINS.onlyfans), null),
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
  name: requiredLine('Name', NAME_MAX).check(isNotOfficial),
  title: requiredLine('Title', TITLE_MAX),
  category: z.enum(CATEGORIES, 'Please choose a category'),
  state: requiredLine('State', 2),
  city: requiredLine('City', 60),
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
 * All fields of a new ad. Absent optional fields are null. `photos` and `video` are URLs of uploads. Stock pictures in
 * `photos` are accepted and not stored.
 */
export const newAdFields = registerRequestSchema(
  'NewAd',
  z
    .object({
      ...withNullDefaults(fields),
      photos: z._default(fields.photos, []),
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

/** Request body of `POST /ads/preview`: the texts of an ad that is not posted yet. */
export const adPreviewFields = registerBody('AdPreview', {
  name: z._default(optionalLine('Name', NAME_MAX), null),
  title: z._default(optionalLine('Title', TITLE_MAX), null),
  price: z._default(optionalLine('Price', PRICE_MAX), null),
  description: z._default(optionalText('Description', DESCRIPTION_MAX), null),
  body: z._default(optionalText('Body', BODY_MAX), null),
});
export type AdPreviewFields = z.output<typeof adPreviewFields>;

const BAD_RATING = `Rating must be a whole number from ${RATING_MIN} to ${RATING_MAX}`;

/** The review of an ad by a client. The default name is the display name of the reviewer. */
export const reviewFields = registerBody('NewReview', {
  name: z._default(optionalLine('Name', NAME_MAX).check(isNotOfficial), null),
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
