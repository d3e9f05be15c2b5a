import * as z from 'zod/mini';
import { CATEGORIES } from '../../listing/categories.ts';
import { AD_ID } from '../../listing/fields.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, PHOTO_FORMATS, PHOTO_WIDTHS_px } from '../../constants.ts';
import { MEDIA_ID } from '../../media/fields.ts';
import type { Parameter } from '../operation.ts';

/** Parts of paths and query strings that several calls have. */

const AN_AD = '0f6c9a3e-5b1d-4c53-9d51-0a6b7f1f3c11';
const AN_ACCOUNT = 'b9Jm1Qw0tqjR1cJmE6v2rA';
const text = (max: number) => z.string().check(z.maxLength(max));

export const adId: Parameter = { schema: z.string().check(z.regex(AD_ID)), words: 'Id of an ad.', example: AN_AD };
export const userId: Parameter = { schema: z.string().check(z.regex(/^[\w-]{1,64}$/u)), words: 'Id of a user.', example: AN_ACCOUNT };
export const userIdOrEmail: Parameter = { schema: text(254), words: 'Id or e-mail address of a user.', example: AN_ACCOUNT };
export const mediaId: Parameter = { schema: z.string().check(z.regex(MEDIA_ID)), words: 'Id of an upload.', example: AN_AD };
export const photoVariant: Parameter = {
  schema: z.enum(PHOTO_WIDTHS_px.flatMap((width) => PHOTO_FORMATS.map((format) => `${width}.${format}`))),
  words: 'Width in pixels and format. A smaller original is never enlarged.',
  example: '640.webp',
};

const state: Parameter = { schema: text(40), words: "A state: its code or its name.", example: 'NV' };
const city: Parameter = { schema: text(80), words: 'A city: its name or its slug.', example: 'las-vegas' };
const category: Parameter = { schema: z.enum(CATEGORIES), words: 'A category.', example: 'massage' };
const q: Parameter = { schema: text(100), words: 'Words to search for: whole, as beginnings, and nearly.', example: 'calm vegas' };
const price: Parameter = { schema: z.string().check(z.regex(/^[0-9]{0,10}$/u)), words: '', example: '100' };
const isSet = z.enum(['true', '1', 'false', '0']);

/** Which page of a list. */
export const paging = {
  cursor: { schema: text(200), words: '`nextCursor` of the page before.', example: 'MjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIGFk' },
  limit: { schema: z.int().check(z.minimum(1), z.maximum(LIST_LIMIT_MAX)), words: `How many on a page; ${LIST_LIMIT_DEFAULT} where nothing is said.`, example: LIST_LIMIT_DEFAULT },
} as const satisfies Readonly<Record<string, Parameter>>;

export const placeFilters = { state, city, category } as const;

/** What narrows and orders a list of ads. */
export const adFilters: Readonly<Record<string, Parameter>> = {
  ...placeFilters,
  q,
  sort: { schema: z.enum(['bumped', 'newest', 'price', 'price_desc']), words: 'Order; `bumped`, the last bump first, where nothing is said.', example: 'newest' },
  minPrice: { ...price, words: 'Only ads that cost at least this.' },
  maxPrice: { ...price, words: 'Only ads that cost at most this.', example: '500' },
  photo: { schema: isSet, words: 'Only ads with a photo of their own.', example: 'true' },
  verified: { schema: isSet, words: 'Only ads of verified owners.', example: 'true' },
  online: { schema: isSet, words: 'Only ads whose owner is online.', example: 'true' },
  ...paging,
};

/** Parts of a place in a path. */
export const place = {
  first: { ...state, words: 'A state: its code or its name, URL-encoded.' },
  second: { ...city, words: 'A city of that state: its name or its slug, URL-encoded.', example: 'Las Vegas' },
} as const satisfies Readonly<Record<string, Parameter>>;

/** What an admin searches a list by. */
export const adminSearch: Readonly<Record<string, Parameter>> = { q: { ...q, words: 'Words to search for.' }, ...paging };
