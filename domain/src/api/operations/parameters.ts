import * as z from 'zod/mini';
import { USER_TYPES } from '../../account/fields.ts';
import { ADMIN_AD_SORTS, USER_ROLES, USER_SORTS } from '../../admin-fields.ts';
import { ARTICLE_STATUSES } from '../../article/state.ts';
import { ARTICLE_SLUG, ARTICLE_SLUG_MAX } from '../../article/fields.ts';
import { CATEGORIES } from '../../listing/categories.ts';
import { AD_ID } from '../../listing/fields.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, PHOTO_FORMATS, PHOTO_WIDTHS_px, POSTS_PAGE } from '../../constants.ts';
import { MEDIA_ID } from '../../media/fields.ts';
import { CASE_ID, CASE_STATES } from '../../moderation/fields.ts';
import { REPORT_REFERENCE } from '../../report/fields.ts';
import { THREAD_ID } from '../../thread/fields.ts';
import type { Parameter } from '../operation.ts';

/** Parts of paths and query strings that several calls have. */

const AN_AD = '0f6c9a3e-5b1d-4c53-9d51-0a6b7f1f3c11';
const AN_ACCOUNT = 'b9Jm1Qw0tqjR1cJmE6v2rA';
const text = (max: number) => z.string().check(z.maxLength(max));

export const adId: Parameter = { schema: z.string().check(z.regex(AD_ID)), words: 'Id of an ad.', example: AN_AD };
export const userId: Parameter = {
  schema: z.string().check(z.regex(/^[\w-]{1,64}$/u)),
  words: 'Id of a user.',
  example: AN_ACCOUNT,
};
export const userIdOrEmail: Parameter = {
  schema: text(254),
  words: 'Id or e-mail address of a user.',
  example: AN_ACCOUNT,
};
export const mediaId: Parameter = {
  schema: z.string().check(z.regex(MEDIA_ID)),
  words: 'Id of an upload.',
  example: AN_AD,
};
export const photoVariant: Parameter = {
  schema: z.enum(PHOTO_WIDTHS_px.flatMap((width) => PHOTO_FORMATS.map((format) => `${width}.${format}`))),
  words: 'Width in pixels and format. A smaller original is never enlarged.',
  example: '640.webp',
};

const state: Parameter = { schema: text(40), words: 'A state: its code or its name.', example: 'NV' };
const city: Parameter = { schema: text(80), words: 'A city: its name or its slug.', example: 'las-vegas' };
const category: Parameter = { schema: z.enum(CATEGORIES), words: 'A category.', example: 'massage' };
const q: Parameter = {
  schema: text(100),
  words: 'Words to search for: whole, as beginnings, and nearly.',
  example: 'calm vegas',
};
const price: Parameter = { schema: z.string().check(z.regex(/^[0-9]{0,10}$/u)), words: '', example: '100' };
const isSet = z.enum(['true', '1', 'false', '0']);

/** Which page of a list. */
export const paging = {
  cursor: {
    schema: text(200),
    words: '`nextCursor` of the page before.',
    example: 'MjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIGFk',
  },
  limit: {
    schema: z.int().check(z.minimum(1), z.maximum(LIST_LIMIT_MAX)),
    words: `How many on a page; ${LIST_LIMIT_DEFAULT} where nothing is said.`,
    example: LIST_LIMIT_DEFAULT,
  },
} as const satisfies Readonly<Record<string, Parameter>>;

export const placeFilters = { state, city, category } as const;

/** What narrows and orders a list of ads. */
export const adFilters: Readonly<Record<string, Parameter>> = {
  ...placeFilters,
  q,
  sort: {
    schema: z.enum(['bumped', 'newest', 'price', 'price_desc']),
    words: 'Order; `bumped`, the last bump first, where nothing is said.',
    example: 'newest',
  },
  minPrice: { ...price, words: 'Only ads that cost at least this.' },
  maxPrice: { ...price, words: 'Only ads that cost at most this.', example: '500' },
  photo: { schema: isSet, words: 'Only ads with a photo of their own.', example: 'true' },
  verified: { schema: isSet, words: 'Only ads of verified owners.', example: 'true' },
  online: { schema: isSet, words: 'Only ads whose owner is online.', example: 'true' },
  ...paging,
};

const A_THREAD = '0193a1b2-0000-7000-8000-000000000001';
export const threadId: Parameter = {
  schema: z.string().check(z.regex(THREAD_ID)),
  words: 'Id of a thread.',
  example: A_THREAD,
};
export const threadIdOrSlug: Parameter = {
  schema: text(120),
  words: 'Id of a thread, or the slug of its address.',
  example: A_THREAD,
};
export const postNumber: Parameter = {
  schema: z.int().check(z.minimum(0), z.maximum(1_000_000)),
  words: 'Number of a post in its thread; the opening post is 0.',
  example: 1,
};
export const unsubscribeToken: Parameter = {
  schema: text(400),
  words: 'What a link in a mail ends with.',
  example: '0f6c9a3e5b1d4c539d510a6b7f1f3c11.all.lz7dWcE0RjzT0mAjQkPqFvYb2uXhS1n9eGgJ4oKtM8w',
};
export const reportReference: Parameter = {
  schema: z.string().check(z.regex(REPORT_REFERENCE)),
  words: 'What whoever reported was told.',
  example: 'R-07KQ2M4X',
};
export const decisionId: Parameter = {
  schema: z.string().check(z.regex(THREAD_ID)),
  words: 'Id of a decision.',
  example: A_THREAD,
};
export const caseId: Parameter = {
  schema: z.string().check(z.regex(CASE_ID)),
  words: 'Id of a case: the kind of its subject, a hyphen, and the subject’s id.',
  example: `ad-${AN_AD}`,
};
/** Which cases. */
export const caseFilters: Readonly<Record<string, Parameter>> = {
  state: {
    schema: z.enum(CASE_STATES),
    words: 'Which list: `open` where nothing is said; `mine`, those the asker has claimed.',
    example: 'appeals',
  },
  ...paging,
};
const country: Parameter = { schema: text(40), words: 'A country: its code or its name.', example: 'us' };

/** Which threads, in which order. */
export const threadFilters: Readonly<Record<string, Parameter>> = {
  country,
  state,
  city,
  sort: {
    schema: z.enum(['latest', 'active', 'newest']),
    words:
      'Order: `latest`, the last post first, where nothing is said; `active`, most replies lately; `newest`, started last.',
    example: 'active',
  },
  ...paging,
};

/** Which page of a thread's replies. */
export const threadPaging: Readonly<Record<string, Parameter>> = {
  cursor: {
    schema: text(200),
    words: '`nextCursor` or `previousCursor` of another page.',
    example: 'MjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIGFk',
  },
  limit: {
    schema: z.int().check(z.minimum(1), z.maximum(POSTS_PAGE.max)),
    words: `How many replies; ${POSTS_PAGE.default} where nothing is said.`,
    example: POSTS_PAGE.default,
  },
  post: {
    schema: z.string().check(z.regex(/^(?:[0-9]{1,7}|last)?$/u)),
    words: 'The page with the reply of this number; `last` for the last page.',
    example: 'last',
  },
};

export const articleSlug: Parameter = {
  schema: z.string().check(z.regex(ARTICLE_SLUG), z.maxLength(ARTICLE_SLUG_MAX)),
  words: 'Slug of an article.',
  example: 'meeting-safely',
};
/** Which articles. */
export const articleFilters: Readonly<Record<string, Parameter>> = {
  city,
  tag: { schema: text(30), words: 'A tag.', example: 'safety' },
  ...paging,
};
export const articleStatusFilter: Readonly<Record<string, Parameter>> = {
  status: { schema: z.enum(ARTICLE_STATUSES), words: 'Only articles in this state.', example: 'draft' },
  ...paging,
};

/** What is searched for, and how much of each kind is wanted. */
export const searchFilters: Readonly<Record<string, Parameter>> = {
  q,
  limit: {
    schema: z.int().check(z.minimum(1), z.maximum(20)),
    words: 'How many of each kind; 5 where nothing is said.',
    example: 5,
  },
};

/** Parts of a place in a path. */
export const place = {
  first: { ...state, words: 'A state: its code or its name, URL-encoded.' },
  second: { ...city, words: 'A city of that state: its name or its slug, URL-encoded.', example: 'Las Vegas' },
} as const satisfies Readonly<Record<string, Parameter>>;

/** What an admin searches a list by. */
const adminSearch: Readonly<Record<string, Parameter>> = {
  q: { ...q, words: 'Words to search for.' },
  ...paging,
  cursor: { ...paging.cursor, schema: text(1_000) },
};
/** Which users, in which order. */
export const adminUserFilters: Readonly<Record<string, Parameter>> = {
  ...adminSearch,
  sort: {
    schema: z.enum(USER_SORTS),
    words: 'Order; `newest` where nothing is said; `ads`, those first who have an ad up.',
    example: 'name',
  },
  type: { schema: z.enum(USER_TYPES), words: 'Only clients, or only providers.', example: 'provider' },
  role: {
    schema: z.enum(USER_ROLES),
    words: 'Only users with this role; `none`, those without one.',
    example: 'moderator',
  },
  verified: { schema: isSet, words: 'Only users an admin has verified, or only the others.', example: 'true' },
};
/** Which ads of all, in which order. */
export const adminAdFilters: Readonly<Record<string, Parameter>> = {
  ...adminSearch,
  sort: {
    schema: z.enum(ADMIN_AD_SORTS),
    words: 'Order; `newest` where nothing is said; `bumped`, the last bump first.',
    example: 'title',
  },
  hidden: { schema: isSet, words: 'Only ads that are hidden, or only the others.', example: 'true' },
  featured: { schema: isSet, words: 'Only featured ads, or only the others.', example: 'true' },
};
