import * as z from 'zod/mini';
import { USER_TYPES } from '../../account/fields.ts';
import { ADMIN_AD_SORTS, USER_ROLES, USER_SORTS } from '../../admin-fields.ts';
import { ARTICLE_SLUG, ARTICLE_SLUG_MAX, ARTICLE_STATUSES, isValidArticleSlug } from '../../article/fields.ts';
import { AD_SORTS, THREAD_SORTS } from '../../contracts/sorts.ts';
import { CATEGORIES } from '../../listing/categories.ts';
import { AD_ID_PATTERN, REVIEW_ID_PATTERN } from '../../listing/fields.ts';
import {
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  PHOTO_FORMATS,
  PHOTO_WIDTHS_px,
  POSTS_PAGE_SIZE,
} from '../../constants.ts';
import { MEDIA_ID } from '../../media/fields.ts';
import { CASE_LISTS } from '../../moderation/fields.ts';
import { CASE_ID, SUBJECT_KINDS, toCaseId, type CaseId } from '../../moderation/subject.ts';
import { ALL_REPORT_REASONS, REPORT_REFERENCE } from '../../report/fields.ts';
import { THREAD_ID } from '../../thread/fields.ts';
import { registerParameter, withStricterSchema } from '../component.ts';
import type { Parameter, ParametersByName } from '../operation.ts';
import {
  choice,
  filterUpTo,
  flag,
  limitUpTo,
  maxPrice,
  minPrice,
  orNull,
  trimmedLike,
  wordsUpTo,
} from '../parameter-schemas.ts';

/** Path and query parameters that several operations share. */

const AN_AD = '0f6c9a3e-5b1d-4c53-9d51-0a6b7f1f3c11';
const AN_ACCOUNT = 'b9Jm1Qw0tqjR1cJmE6v2rA';
const text = (max: number) => z.string().check(z.maxLength(max));

export const adId = registerParameter('AdId', {
  schema: z.string().check(z.regex(AD_ID_PATTERN)),
  description: 'Id of an ad.',
  example: AN_AD,
  errorCode: 'AD_NOT_FOUND',
});
export const reviewId = registerParameter('ReviewId', {
  schema: z.string().check(z.regex(REVIEW_ID_PATTERN)),
  description: 'Id of a review.',
  example: AN_AD,
  errorCode: 'REVIEW_NOT_FOUND',
});
export const userId = registerParameter('UserId', {
  schema: z.string().check(z.regex(/^[\w-]{1,64}$/u)),
  description: 'Id of a user.',
  example: AN_ACCOUNT,
  errorCode: 'USER_NOT_FOUND',
});
export const userIdOrEmail: Parameter = {
  schema: text(254),
  description: 'Id or e-mail address of a user.',
  example: AN_ACCOUNT,
};
export const mediaId = registerParameter('MediaId', {
  schema: z.string().check(z.regex(MEDIA_ID)),
  description: 'Id of an upload.',
  example: AN_AD,
  errorCode: 'NOT_FOUND',
});
export const uploadId = registerParameter('UploadId', {
  schema: z.string().check(z.regex(MEDIA_ID)),
  description: 'Id of a resumable upload.',
  example: 'b1c9a4c2-9c59-4b43-8d2a-6ad0a3b1d1de',
});
export const photoVariant: Parameter = {
  schema: z.enum(PHOTO_WIDTHS_px.flatMap((width) => PHOTO_FORMATS.map((format) => `${width}.${format}`))),
  description: 'Width in pixels and format. A smaller original is never enlarged.',
  example: '640.webp',
};

const state = registerParameter('State', {
  schema: filterUpTo(40),
  description: 'A state: its code or its name.',
  example: 'NV',
});
const city = registerParameter('City', {
  schema: filterUpTo(80),
  description: 'A city: its name or its slug.',
  example: 'las-vegas',
});
const category = registerParameter('Category', {
  schema: choice('category', CATEGORIES),
  description: 'A category.',
  example: 'massage',
});
const q = registerParameter('SearchWords', {
  schema: wordsUpTo(100),
  description: 'Search terms. They match whole words, prefixes and similar words.',
  example: 'calm vegas',
});
/** Paging parameters of a list. */
export const pagingParameters = {
  cursor: registerParameter('Cursor', {
    schema: filterUpTo(200),
    description: 'The `nextCursor` of the previous page.',
    example: 'MjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIGFk',
  }),
  limit: registerParameter('Limit', {
    schema: limitUpTo(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    description: `Number of entries per page. The default is ${LIST_LIMIT_DEFAULT}.`,
    example: LIST_LIMIT_DEFAULT,
  }),
} as const satisfies ParametersByName;

const BAD_CURSOR = 'This cursor is invalid';

/** Paging parameters of a list whose cursors `isValid` accepts. */
export function pagingWith(isValid: (cursor: string) => boolean) {
  const text = z.string(BAD_CURSOR).check(z.maxLength(200, BAD_CURSOR), z.refine(isValid, BAD_CURSOR));
  return { ...pagingParameters, cursor: withStricterSchema(pagingParameters.cursor, z.pipe(z.optional(text), orNull)) };
}

const BAD_FILTER = 'This filter is invalid';
/** The schema of a filter by an id that matches `pattern`. */
export const idLike = (pattern: RegExp) =>
  z.pipe(z.optional(z.string(BAD_FILTER).check(z.regex(pattern, BAD_FILTER))), orNull);

const placeFilters = { state, city, category } as const;
/** Leaves the long texts out of a list of ads. */
export const details = registerParameter('Details', {
  schema: z.pipe(
    choice('details', ['true', 'false']),
    z.transform((text) => text !== 'false'),
  ),
  description: 'With `false`, the ads have no `description`, `body` and `reviews`.',
  example: 'false',
});
export const nearbyFilters = { state, city, limit: pagingParameters.limit, details } as const;

/** Filters of ads. */
export const countFilters = {
  ...placeFilters,
  q,
  minPrice: registerParameter('MinPrice', {
    schema: minPrice,
    description: 'Minimum price.',
    example: '100',
  }),
  maxPrice: registerParameter('MaxPrice', {
    schema: maxPrice,
    description: 'Maximum price.',
    example: '500',
  }),
  photo: registerParameter('WithPhoto', {
    schema: flag('photo'),
    description: 'Only ads with a photo of their own.',
    example: 'true',
  }),
  verified: registerParameter('VerifiedOwner', {
    schema: flag('verified'),
    description: 'Only ads of verified owners.',
    example: 'true',
  }),
  online: registerParameter('OnlineOwner', {
    schema: flag('online'),
    description: 'Only ads whose owner is online.',
    example: 'true',
  }),
} as const satisfies ParametersByName;

/** Filters and sort order of ad lists. */
export const adFilters = {
  ...countFilters,
  sort: registerParameter('AdSort', {
    schema: choice('sort', AD_SORTS, 'bumped'),
    description: 'Sort order. The default is `bumped`, the last bump first.',
    example: 'newest',
  }),
  ...pagingParameters,
  details,
} as const satisfies ParametersByName;

const A_THREAD = '0193a1b2-0000-7000-8000-000000000001';
export const threadId = registerParameter('ThreadId', {
  schema: z.string().check(z.regex(THREAD_ID)),
  description: 'Id of a thread.',
  example: A_THREAD,
  errorCode: 'THREAD_NOT_FOUND',
});
export const threadIdOrSlug: Parameter = {
  schema: text(120),
  description: 'Id of a thread, or the slug of its address.',
  example: A_THREAD,
};
export const postNumber = registerParameter('PostNumber', {
  schema: z.pipe(
    z.transform((text: unknown) => (typeof text === 'string' && /^\d{1,7}$/u.test(text) ? Number(text) : text)),
    z.int().check(z.minimum(0), z.maximum(1_000_000)),
  ),
  description: 'Number of a post in its thread; the opening post is 0.',
  example: 1,
  errorCode: 'POST_NOT_FOUND',
});
export const unsubscribeToken = registerParameter('UnsubscribeToken', {
  schema: text(400),
  description: 'The token at the end of a link in a mail.',
  example: '0f6c9a3e5b1d4c539d510a6b7f1f3c11.all.lz7dWcE0RjzT0mAjQkPqFvYb2uXhS1n9eGgJ4oKtM8w',
});
export const reportReference: Parameter = {
  schema: z.string().check(z.regex(REPORT_REFERENCE)),
  description: 'The reference from the response to a report.',
  example: 'R-1C6T2M4XA07KQ2M',
};
export const sessionId: Parameter = {
  schema: z.string().check(z.maxLength(36)),
  description: 'Id of a session.',
  example: '8f14e45f-ceea-467f-9575-1f3f5d0f2a11',
};
export const decisionId = registerParameter('DecisionId', {
  schema: z.string().check(z.regex(THREAD_ID)),
  description: 'Id of a decision.',
  example: A_THREAD,
});
export const caseId = registerParameter('CaseId', {
  schema: z.pipe(
    z.string().check(z.regex(CASE_ID)),
    z.transform((text) => text as CaseId),
  ),
  description: 'Id of a case: the kind of its subject, a hyphen, and the id of the subject.',
  example: toCaseId({ kind: 'ad', id: AN_AD }),
  errorCode: 'CASE_NOT_FOUND',
});
/** Filters of the lists of moderation cases. */
export const caseFilters = {
  state: {
    schema: z.pipe(
      z.transform((input: unknown) => input ?? 'open'),
      z.enum(CASE_LISTS, `state must be one of ${CASE_LISTS.join(', ')}`),
    ),
    description: 'The list. The default is `open`. `mine` contains the cases that you have claimed.',
    example: 'appeals',
  },
  kind: { schema: choice('kind', SUBJECT_KINDS), description: 'Kind of the subject.', example: 'ad' },
  reason: { schema: choice('reason', ALL_REPORT_REASONS), description: 'A reason of a report.', example: 'spam' },
  ...pagingParameters,
} as const satisfies ParametersByName;
const country = { schema: filterUpTo(40), description: 'A country: its code or its name.', example: 'us' };

/** Filters and sort order of thread lists. */
export const threadFilters = {
  country,
  state,
  city,
  sort: {
    schema: choice('sort', THREAD_SORTS, 'latest'),
    description:
      'Sort order. The default is `latest`, the last post first. ' +
      '`active` sorts by recent replies, `newest` by the start of the thread.',
    example: 'active',
  },
  ...pagingParameters,
} as const satisfies ParametersByName;

/** Paging parameters of the replies of a thread. */
export const threadPaging = {
  cursor: {
    schema: filterUpTo(200),
    description: 'The `nextCursor` or `previousCursor` of another page.',
    example: 'MjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIGFk',
  },
  limit: {
    schema: limitUpTo(POSTS_PAGE_SIZE.max, POSTS_PAGE_SIZE.default),
    description: `Number of replies per page. The default is ${POSTS_PAGE_SIZE.default}.`,
    example: POSTS_PAGE_SIZE.default,
  },
  post: {
    schema: trimmedLike(/^(?:[0-9]{1,7}|last)?$/u, 'post must be the number of a post, or last'),
    description: 'Selects the page that contains the reply with this number. `last` selects the last page.',
    example: 'last',
  },
} as const satisfies ParametersByName;

export const articleSlug = registerParameter('ArticleSlug', {
  schema: z.string().check(z.regex(ARTICLE_SLUG), z.maxLength(ARTICLE_SLUG_MAX), z.refine(isValidArticleSlug)),
  description: 'Slug of an article.',
  example: 'meeting-safely',
  errorCode: 'ARTICLE_NOT_FOUND',
});
/** Filters of article lists. */
export const articleFilters = {
  city: withStricterSchema(city, wordsUpTo(80)),
  tag: { schema: wordsUpTo(30), description: 'A tag.', example: 'safety' },
  ...pagingParameters,
} as const satisfies ParametersByName;
export const articleStatusFilter = {
  status: { schema: choice('status', ARTICLE_STATUSES), description: 'Only articles in this state.', example: 'draft' },
  ...pagingParameters,
} as const satisfies ParametersByName;

/** Parameters of the search in all public content: the search terms, and the number of results of each kind. */
export const searchFilters = {
  q,
  limit: {
    schema: limitUpTo(20, 5),
    description: 'Number of results of each kind. The default is 5.',
    example: 5,
  },
} as const satisfies ParametersByName;

/** Path parameters that select a city: first the state, then the city. */
export const placeParameters = {
  first: { ...state, description: 'A state: its code or its name, URL-encoded.' },
  second: { ...city, description: 'A city of that state: its name or its slug, URL-encoded.', example: 'Las Vegas' },
} as const satisfies ParametersByName;

/** Search and paging parameters of the lists for admins. */
const adminSearch = {
  q: registerParameter('AdminSearchWords', {
    ...q,
    schema: wordsUpTo(100, /^[^\p{Cc}\p{Cs}]*$/u),
    description: 'Search terms.',
  }),
  ...pagingParameters,
  // A cursor contains an id and a sort key. This length is sufficient for the longest name or title in UTF-8.
  cursor: registerParameter('AdminCursor', { ...pagingParameters.cursor, schema: filterUpTo(1_000) }),
} as const satisfies ParametersByName;
/** Filters and sort order of the user list. */
export const adminUserFilters = {
  ...adminSearch,
  sort: {
    schema: choice('sort', USER_SORTS, 'newest'),
    description: 'Sort order. The default is `newest`. `ads` lists users with an ad first.',
    example: 'name',
  },
  type: { schema: choice('type', USER_TYPES), description: 'Only clients, or only providers.', example: 'provider' },
  role: {
    schema: choice('role', USER_ROLES),
    description: 'Only users with this role. `none` selects users without a role.',
    example: 'moderator',
  },
  verified: {
    schema: flag('verified'),
    description: 'Only users that an admin has verified, or only the other users.',
    example: 'true',
  },
} as const satisfies ParametersByName;
/** Filters and sort order of the ad list for admins. */
export const adminAdFilters = {
  ...adminSearch,
  sort: {
    schema: choice('sort', ADMIN_AD_SORTS, 'newest'),
    description: 'Sort order. The default is `newest`. `bumped` lists the last bump first.',
    example: 'title',
  },
  hidden: { schema: flag('hidden'), description: 'Only hidden ads, or only visible ads.', example: 'true' },
  featured: { schema: flag('featured'), description: 'Only featured ads, or only the other ads.', example: 'true' },
} as const satisfies ParametersByName;
