import * as z from 'zod/mini';
import { registerRequestSchema, registerBody } from '../api/component.ts';
import { errorMessage } from '../error-catalogue.ts';
import { parsePhotoUrl } from '../listing/fields.ts';
import { findCityBySlug, isCityInState, slugify } from '../places/places.ts';
import { optionalLine, optionalText, requiredLine, requiredText } from '../text-fields.ts';

/** Validation rules for the fields of blog articles. */

/** The states of an article. */
export const ARTICLE_STATUSES = ['draft', 'scheduled', 'published', 'withdrawn'] as const;
export type ArticleStatus = (typeof ARTICLE_STATUSES)[number];

/**
 * The languages in which an article can be written. They are the languages of the site. A browser and a screen reader
 * need the language of a text to pronounce, hyphenate and translate it.
 */
export const ARTICLE_LANGUAGES = ['en', 'de', 'fr', 'it'] as const;
type ArticleLanguage = (typeof ARTICLE_LANGUAGES)[number];
/** The language of an article whose events name no language. */
export const DEFAULT_ARTICLE_LANGUAGE = 'en' satisfies ArticleLanguage;

export const ARTICLE_TITLE_MAX = 120;
export const ARTICLE_SUMMARY_MAX = 300;
/** Maximum length of the Markdown text of an article, in characters. */
export const ARTICLE_BODY_MAX = 100_000;
export const ARTICLE_TAGS_MAX = 6;
export const ARTICLE_SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
export const ARTICLE_SLUG_MAX = 80;
const NOT_A_COVER_URL = errorMessage('COVER_NOT_YOURS');
const TAG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

export const INVALID_ARTICLE_SLUG_MESSAGE = 'The address must consist of lowercase letters, digits and single hyphens';

/**
 * Checks whether a text can be the slug of an article. The slugs of cities are excluded, because `/blog/{city}` lists
 * the articles about a city.
 */
export function isValidArticleSlug(slug: string): boolean {
  return slug.length <= ARTICLE_SLUG_MAX && ARTICLE_SLUG.test(slug) && findCityBySlug(slug) === null;
}

/**
 * Returns the default slug for the title of an article. The slug is empty if the title contains no usable characters.
 */
export function createArticleSlug(title: string): string {
  const slug = slugify(title).slice(0, ARTICLE_SLUG_MAX).replace(/-$/u, '');
  return findCityBySlug(slug) ? `${slug}-guide` : slug;
}

const slug = z.string(INVALID_ARTICLE_SLUG_MESSAGE).check(
  z.trim(),
  z.refine((text) => text === '' || isValidArticleSlug(text), INVALID_ARTICLE_SLUG_MESSAGE),
);
const cover = z.nullable(
  z.pipe(
    z.string(NOT_A_COVER_URL).check(
      z.maxLength(300),
      z.refine((url) => url === '' || parsePhotoUrl(url) !== null, NOT_A_COVER_URL),
    ),
    z.transform((url) => (url === '' ? null : url)),
  ),
);

const fields = {
  title: requiredLine('Title', ARTICLE_TITLE_MAX, 3),
  summary: requiredLine('Summary', ARTICLE_SUMMARY_MAX),
  body: requiredText('Text', ARTICLE_BODY_MAX),
  /** The language of the title, the summary and the text. */
  language: z.enum(ARTICLE_LANGUAGES, 'Please choose a language'),
  /** The state (e.g. `NV`) that the article is about. State and city are either both present or both null. */
  state: optionalLine('State', 2),
  city: optionalLine('City', 60),
  tags: z
    .array(
      z
        .string('Each tag must be text')
        .check(
          z.trim(),
          z.toLowerCase(),
          z.maxLength(30, 'A tag must be at most 30 characters'),
          z.regex(TAG, 'A tag must consist of lowercase letters, digits and single hyphens'),
        ),
      'Tags must be a list',
    )
    .check(
      z.maxLength(ARTICLE_TAGS_MAX, `Maximum ${ARTICLE_TAGS_MAX} tags allowed`),
      z.refine((tags) => new Set(tags).size === tags.length, 'The same tag is listed twice'),
    ),
  /** The URL of the uploaded cover picture, or null. */
  cover,
};

export const UNKNOWN_ARTICLE_CITY_MESSAGE = 'Please choose a state and one of its cities, or neither';

/** Checks whether an article can be about this place. The city must be in the state, or both must be null. */
export function isValidArticlePlace(state: string | null, city: string | null): boolean {
  return state === null || city === null ? state === city : isCityInState(state, city);
}

/** Request body of `POST /admin/blog/articles`. The default slug is derived from the title. */
export const newArticleFields = registerRequestSchema(
  'NewArticle',
  z
    .object({
      slug: z._default(slug, ''),
      ...fields,
      language: z._default(fields.language, DEFAULT_ARTICLE_LANGUAGE),
      state: z._default(fields.state, null),
      city: z._default(fields.city, null),
      tags: z._default(fields.tags, []),
      cover: z._default(fields.cover, null),
    })
    .check(
      z.refine(({ state, city }) => isValidArticlePlace(state, city), {
        error: UNKNOWN_ARTICLE_CITY_MESSAGE,
        path: ['city'],
      }),
    ),
);
export type NewArticleFields = z.output<typeof newArticleFields>;

/**
 * Request body of `PUT /admin/blog/articles/{slug}`. Absent fields keep their values. The decider checks whether the
 * city is in the state.
 */
export const reviseArticleFields = registerRequestSchema('ArticleChanges', z.partial(z.object(fields)));
export type ArticleChanges = z.output<typeof reviseArticleFields>;

export const CORRECTION_NOTE_MAX = 300;

/**
 * Request body of `POST /admin/blog/articles/{slug}/correct`: the changed fields, and a note that explains the
 * correction to readers.
 */
export const correctArticleFields = registerRequestSchema(
  'ArticleCorrection',
  z.extend(reviseArticleFields, { note: requiredLine('Note', CORRECTION_NOTE_MAX) }),
);

/** Request body of `POST /admin/blog/articles/{slug}/publish`. Without a time, the article is published now. */
export const publishArticleFields = registerBody('Publish', {
  publishAt: z._default(z.nullable(z.iso.datetime({ offset: true, error: 'Please choose a date and a time' })), null),
});

/** Request body of `POST /admin/blog/articles/{slug}/withdraw`. */
export const withdrawArticleFields = registerBody('Withdraw', {
  reason: z._default(optionalText('Reason', CORRECTION_NOTE_MAX), null),
});

/** Request body of `POST /admin/blog/preview`, which returns Markdown text as HTML. */
export const articlePreviewFields = registerBody('ArticlePreview', { body: requiredText('Text', ARTICLE_BODY_MAX) });
