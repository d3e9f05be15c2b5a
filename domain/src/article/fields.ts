import * as z from 'zod/mini';
import { mediaIdOf } from '../listing/fields.ts';
import { isPlace, slugOf, STATES } from '../places/places.ts';
import { optionalText, requiredLine, requiredText } from '../text-fields.ts';

/** Field rules of the blog's articles. */

export const ARTICLE_TITLE_MAX = 120;
export const ARTICLE_SUMMARY_MAX = 300;
/** Of the Markdown as it is written. */
export const ARTICLE_BODY_MAX = 100_000;
export const ARTICLE_TAGS_MAX = 6;
export const ARTICLE_SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
export const ARTICLE_SLUG_MAX = 80;
const TAG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

export const BAD_ARTICLE_SLUG = 'An address has small letters, digits and single hyphens';
const CITY_SLUGS: ReadonlySet<string> = new Set(STATES.flatMap(({ cities }) => cities.map(slugOf)));

/** Whether an address can be an article's: `/blog/{slug}` is also where the articles of a city are, and the feeds. */
export function isArticleSlug(slug: string): boolean {
  return slug.length <= ARTICLE_SLUG_MAX && ARTICLE_SLUG.test(slug) && !CITY_SLUGS.has(slug);
}

/** The address an article of this title gets where none is asked for; empty where nothing is left of it. */
export function articleSlugOf(title: string): string {
  const slug = slugOf(title).slice(0, ARTICLE_SLUG_MAX).replace(/-$/u, '');
  return CITY_SLUGS.has(slug) ? `${slug}-guide` : slug;
}

const slug = z.string(BAD_ARTICLE_SLUG).check(
  z.trim(),
  z.refine((text) => text === '' || isArticleSlug(text), BAD_ARTICLE_SLUG),
);
const cover = z.nullable(
  z.pipe(
    z.string('A cover must be the address its upload answered').check(
      z.maxLength(300),
      z.refine((url) => url === '' || mediaIdOf(url) !== null, 'A cover must be the address its upload answered'),
    ),
    z.transform((url) => (url === '' ? null : url)),
  ),
);

const fields = {
  title: requiredLine('Title', ARTICLE_TITLE_MAX, 3),
  summary: requiredLine('Summary', ARTICLE_SUMMARY_MAX),
  body: requiredText('Text', ARTICLE_BODY_MAX),
  /** Of the city it is about; both or none. */
  state: optionalText('State', 2),
  city: optionalText('City', 60),
  tags: z
    .array(
      z
        .string('Tags must be words')
        .check(
          z.trim(),
          z.toLowerCase(),
          z.maxLength(30, 'A tag must be at most 30 characters'),
          z.regex(TAG, 'A tag has small letters, digits and single hyphens'),
        ),
      'Tags must be a list',
    )
    .check(
      z.maxLength(ARTICLE_TAGS_MAX, `Maximum ${ARTICLE_TAGS_MAX} tags allowed`),
      z.refine((tags) => new Set(tags).size === tags.length, 'The same tag is listed twice'),
    ),
  /** The address of an upload. */
  cover,
};

export const UNKNOWN_ARTICLE_CITY = 'Please choose a state and one of its cities, or neither';

/** Whether an article can be about this place: a city of ours, or none. */
export function isArticlePlace(state: string | null, city: string | null): boolean {
  return state === null || city === null ? state === city : isPlace(state, city);
}

/** `POST /admin/blog/articles`. Without a slug the title makes one. */
export const newArticleFields = z
  .object({
    slug: z._default(slug, ''),
    ...fields,
    state: z._default(fields.state, null),
    city: z._default(fields.city, null),
    tags: z._default(fields.tags, []),
    cover: z._default(fields.cover, null),
  })
  .check(z.refine(({ state, city }) => isArticlePlace(state, city), { error: UNKNOWN_ARTICLE_CITY, path: ['city'] }));
export type NewArticleFields = z.output<typeof newArticleFields>;

/** `PUT /admin/blog/articles/{slug}`: what is absent stays. Whether state and city still fit is for the decider. */
export const articleChanges = z.partial(z.object(fields));
export type ArticleChanges = z.output<typeof articleChanges>;

export const CORRECTION_NOTE_MAX = 300;

/** `POST /admin/blog/articles/{slug}/correct`: the changes, and what readers are told of them. */
export const articleCorrection = z.extend(articleChanges, { note: requiredLine('Note', CORRECTION_NOTE_MAX) });

/** `POST /admin/blog/articles/{slug}/publish`: at once, or at a time to come. */
export const publishFields = z.object({
  publishAt: z._default(z.nullable(z.iso.datetime({ offset: true, error: 'Please choose a date and a time' })), null),
});

/** `POST /admin/blog/articles/{slug}/withdraw`. */
export const withdrawFields = z.object({ reason: z._default(optionalText('Reason', CORRECTION_NOTE_MAX), null) });

/** `POST /admin/blog/preview`. */
export const articlePreviewFields = z.object({ body: requiredText('Text', ARTICLE_BODY_MAX) });
