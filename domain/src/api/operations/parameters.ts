import * as z from 'zod/mini';
import { USER_TYPES } from '../../account/fields.ts';
import { ADMIN_AD_SORTS, USER_ROLES, USER_SORTS } from '../../admin-fields.ts';
import { ARTICLE_SLUG, ARTICLE_SLUG_MAX, ARTICLE_STATUSES } from '../../article/fields.ts';
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
import { CASE_ID, SUBJECT_KINDS, toCaseId } from '../../moderation/subject.ts';
import { ALL_REPORT_REASONS, REPORT_REFERENCE } from '../../report/fields.ts';
import { THREAD_ID } from '../../thread/fields.ts';
import { registerParameter } from '../component.ts';
import type { Parameter } from '../operation.ts';

/** Path and query parameters that several operations share. */

const AN_AD = '0f6c9a3e-5b1d-4c53-9d51-0a6b7f1f3c11';
const AN_ACCOUNT = 'b9Jm1Qw0tqjR1cJmE6v2rA';
const text = (max: number) => z.string().check(z.maxLength(max));

export const adId = registerParameter('AdId', {
  schema: z.string().check(z.regex(AD_ID_PATTERN)),
  description: 'Id of an ad.',
  example: AN_AD,
});
export const reviewId = registerParameter('ReviewId', {
  schema: z.string().check(z.regex(REVIEW_ID_PATTERN)),
  description: 'Id of a review.',
  example: AN_AD,
});
export const userId = registerParameter('UserId', {
  schema: z.string().check(z.regex(/^[\w-]{1,64}$/u)),
  description: 'Id of a user.',
  example: AN_ACCOUNT,
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
  schema: text(40),
  description: 'A state: its code or its name.',
  example: 'NV',
});
const city = registerParameter('City', {
  schema: text(80),
  description: 'A city: its name or its slug.',
  example: 'las-vegas',
});
const category = registerParameter('Category', {
  schema: z.enum(CATEGORIES),
  description: 'A category.',
  example: 'massage',
});
const q = registerParameter('SearchWords', {
  schema: text(100),
  description: 'Search terms. They match whole words, prefixes and similar words.',
  example: 'calm vegas',
});
const price: Parameter = { schema: z.string().check(z.regex(/^[0-9]{0,10}$/u)), description: '', example: '100' };
const isSet = z.enum(['true', '1', 'false', '0']);

/** Paging parameters of a list. */
export const pagingParameters = {
  cursor: registerParameter('Cursor', {
    schema: text(200),
    description: 'The `nextCursor` of the previous page.',
    example: 'MjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIGFk',
  }),
  limit: registerParameter('Limit', {
    schema: z.int().check(z.minimum(1), z.maximum(LIST_LIMIT_MAX)),
    description: `Number of entries per page. The default is ${LIST_LIMIT_DEFAULT}.`,
    example: LIST_LIMIT_DEFAULT,
  }),
} as const satisfies Readonly<Record<string, Parameter>>;

const placeFilters = { state, city, category } as const;
/** Leaves the long texts out of a list of ads. */
export const details = registerParameter('Details', {
  schema: z.enum(['true', 'false']),
  description: 'With `false`, the ads have no `description`, `body` and `reviews`.',
  example: 'false',
});
export const nearbyFilters = { state, city, limit: pagingParameters.limit, details } as const;

/** Filters of ads. */
export const countFilters: Readonly<Record<string, Parameter>> = {
  ...placeFilters,
  q,
  minPrice: registerParameter('MinPrice', { ...price, description: 'Minimum price.' }),
  maxPrice: registerParameter('MaxPrice', { ...price, description: 'Maximum price.', example: '500' }),
  photo: registerParameter('WithPhoto', {
    schema: isSet,
    description: 'Only ads with a photo of their own.',
    example: 'true',
  }),
  verified: registerParameter('VerifiedOwner', {
    schema: isSet,
    description: 'Only ads of verified owners.',
    example: 'true',
  }),
  online: registerParameter('OnlineOwner', {
    schema: isSet,
    description: 'Only ads whose owner is online.',
    example: 'true',
  }),
};

/** Filters and sort order of ad lists. */
export const adFilters: Readonly<Record<string, Parameter>> = {
  ...countFilters,
  sort: registerParameter('AdSort', {
    schema: z.enum(AD_SORTS),
    description: 'Sort order. The default is `bumped`, the last bump first.',
    example: 'newest',
  }),
  ...pagingParameters,
  details,
};

const A_THREAD = '0193a1b2-0000-7000-8000-000000000001';
export const threadId = registerParameter('ThreadId', {
  schema: z.string().check(z.regex(THREAD_ID)),
  description: 'Id of a thread.',
  example: A_THREAD,
});
export const threadIdOrSlug: Parameter = {
  schema: text(120),
  description: 'Id of a thread, or the slug of its address.',
  example: A_THREAD,
};
export const postNumber = registerParameter('PostNumber', {
  schema: z.int().check(z.minimum(0), z.maximum(1_000_000)),
  description: 'Number of a post in its thread; the opening post is 0.',
  example: 1,
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
  schema: z.string().check(z.regex(CASE_ID)),
  description: 'Id of a case: the kind of its subject, a hyphen, and the id of the subject.',
  example: toCaseId({ kind: 'ad', id: AN_AD }),
});
/** Filters of the lists of moderation cases. */
export const caseFilters: Readonly<Record<string, Parameter>> = {
  state: {
    schema: z.enum(CASE_LISTS),
    description: 'The list. The default is `open`. `mine` contains the cases that you have claimed.',
    example: 'appeals',
  },
  kind: { schema: z.enum(SUBJECT_KINDS), description: 'Kind of the subject.', example: 'ad' },
  reason: { schema: z.enum(ALL_REPORT_REASONS), description: 'A reason of a report.', example: 'spam' },
  ...pagingParameters,
};
const country: Parameter = { schema: text(40), description: 'A country: its code or its name.', example: 'us' };

/** Filters and sort order of thread lists. */
export const threadFilters: Readonly<Record<string, Parameter>> = {
  country,
  state,
  city,
  sort: {
    schema: z.enum(THREAD_SORTS),
    description:
      'Sort order. The default is `latest`, the last post first. ' +
      '`active` sorts by recent replies, `newest` by the start of the thread.',
    example: 'active',
  },
  ...pagingParameters,
};

/** Paging parameters of the replies of a thread. */
export const threadPaging: Readonly<Record<string, Parameter>> = {
  cursor: {
    schema: text(200),
    description: 'The `nextCursor` or `previousCursor` of another page.',
    example: 'MjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIGFk',
  },
  limit: {
    schema: z.int().check(z.minimum(1), z.maximum(POSTS_PAGE_SIZE.max)),
    description: `Number of replies per page. The default is ${POSTS_PAGE_SIZE.default}.`,
    example: POSTS_PAGE_SIZE.default,
  },
  post: {
    schema: z.string().check(z.regex(/^(?:[0-9]{1,7}|last)?$/u)),
    description: 'Selects the page that contains the reply with this number. `last` selects the last page.',
    example: 'last',
  },
};

export const articleSlug = registerParameter('ArticleSlug', {
  schema: z.string().check(z.regex(ARTICLE_SLUG), z.maxLength(ARTICLE_SLUG_MAX)),
  description: 'Slug of an article.',
  example: 'meeting-safely',
});
/** Filters of article lists. */
export const articleFilters: Readonly<Record<string, Parameter>> = {
  city,
  tag: { schema: text(30), description: 'A tag.', example: 'safety' },
  ...pagingParameters,
};
export const articleStatusFilter: Readonly<Record<string, Parameter>> = {
  status: { schema: z.enum(ARTICLE_STATUSES), description: 'Only articles in this state.', example: 'draft' },
  ...pagingParameters,
};

/** Parameters of the search in all public content: the search terms, and the number of results of each kind. */
export const searchFilters: Readonly<Record<string, Parameter>> = {
  q,
  limit: {
    schema: z.int().check(z.minimum(1), z.maximum(20)),
    description: 'Number of results of each kind. The default is 5.',
    example: 5,
  },
};

/** Path parameters that select a city: first the state, then the city. */
export const placeParameters = {
  first: { ...state, description: 'A state: its code or its name, URL-encoded.' },
  second: { ...city, description: 'A city of that state: its name or its slug, URL-encoded.', example: 'Las Vegas' },
} as const satisfies Readonly<Record<string, Parameter>>;

/** Search and paging parameters of the lists for admins. */
const adminSearch: Readonly<Record<string, Parameter>> = {
  q: registerParameter('AdminSearchWords', { ...q, description: 'Search terms.' }),
  ...pagingParameters,
  cursor: registerParameter('AdminCursor', { ...pagingParameters.cursor, schema: text(1_000) }),
};
/** Filters and sort order of the user list. */
export const adminUserFilters: Readonly<Record<string, Parameter>> = {
  ...adminSearch,
  sort: {
    schema: z.enum(USER_SORTS),
    description: 'Sort order. The default is `newest`. `ads` lists users with an ad first.',
    example: 'name',
  },
  type: { schema: z.enum(USER_TYPES), description: 'Only clients, or only providers.', example: 'provider' },
  role: {
    schema: z.enum(USER_ROLES),
    description: 'Only users with this role. `none` selects users without a role.',
    example: 'moderator',
  },
  verified: {
    schema: isSet,
    description: 'Only users that an admin has verified, or only the other users.',
    example: 'true',
  },
};
/** Filters and sort order of the ad list for admins. */
export const adminAdFilters: Readonly<Record<string, Parameter>> = {
  ...adminSearch,
  sort: {
    schema: z.enum(ADMIN_AD_SORTS),
    description: 'Sort order. The default is `newest`. `bumped` lists the last bump first.',
    example: 'title',
  },
  hidden: { schema: isSet, description: 'Only hidden ads, or only visible ads.', example: 'true' },
  featured: { schema: isSet, description: 'Only featured ads, or only the other ads.', example: 'true' },
};
