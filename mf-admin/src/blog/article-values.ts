import {
  createArticleSlug,
  DEFAULT_ARTICLE_LANGUAGE,
  parsePhotoUrl,
  newArticleFields,
  REQUIRED,
  type AdminArticleView,
  type NewArticleFields,
} from '@alpenglow/domain/contracts';
import type { ValidationResult } from '@alpenglow/ui';

/** Values of the form fields in the article editor. */
export interface ArticleValues {
  readonly title: string;
  /** If the slug is empty, it is derived from the title. */
  readonly slug: string;
  readonly summary: string;
  /** The language of title, summary and body. */
  readonly language: string;
  readonly state: string;
  readonly city: string;
  /** Tags, separated by commas. */
  readonly tags: string;
  /** URL of the cover picture, or an empty string for an article without a cover. */
  readonly cover: string;
  readonly body: string;
}

/** The message that the shared validation returns for an empty required field. */
export const REQUIRED_MESSAGE: string = REQUIRED;

export const EMPTY_VALUES: ArticleValues = {
  title: '',
  slug: '',
  summary: '',
  language: DEFAULT_ARTICLE_LANGUAGE,
  state: '',
  city: '',
  tags: '',
  cover: '',
  body: '',
};
export const FIELDS = Object.keys(EMPTY_VALUES) as readonly (keyof ArticleValues)[];

/** Converts an article to form values. */
export function toArticleValues(article: AdminArticleView): ArticleValues {
  const { title, slug, summary, language, state, city, tags, cover, body } = article;
  return {
    title,
    slug,
    summary,
    language,
    state: state ?? '',
    city: city ?? '',
    tags: tags.join(', '),
    cover: cover?.url ?? '',
    body,
  };
}

/** Parses the text of the tags field: `Safety, For clients` → `safety`, `for-clients`. */
export function parseTags(text: string): readonly string[] {
  const tags = text.split(',').map((tag) => tag.trim().toLowerCase().replaceAll(/\s+/gu, '-'));
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

/** The fields of an article in a write request. */
export type ArticleFields = ReturnType<typeof toArticleFields>;

/** Converts form values to the fields of a request. */
export function toArticleFields({ title, summary, language, state, city, tags, cover, body }: ArticleValues) {
  return {
    title,
    summary,
    body,
    // The editor offers only these languages.
    language: language as NewArticleFields['language'],
    state: state || null,
    city: city || null,
    tags: parseTags(tags),
    cover: cover || null,
  };
}

/** Returns the slug of a new article. If the slug field is empty, the slug is derived from the title. */
export const getNewArticleSlug = ({ slug, title }: Pick<ArticleValues, 'slug' | 'title'>): string =>
  slug || createArticleSlug(title);

/** Validates the form with the same rules as the server. */
export function validateArticleValues(values: ArticleValues): ValidationResult<NewArticleFields> {
  return newArticleFields.safeParse({ ...toArticleFields(values), slug: values.slug });
}

/** Returns the error text of a field. If a required field is empty, the text is `missingText`. */
export function getFieldErrorText(message: string | undefined, missingText: string): string | undefined {
  return message === REQUIRED_MESSAGE ? missingText : message;
}

/**
 * Checks whether two sets of form values are equal. Two cover URLs are equal if they belong to the same
 * photo.
 */
export function hasSameValues(left: ArticleValues, right: ArticleValues): boolean {
  return FIELDS.every((field) => canonical(field, left[field]) === canonical(field, right[field]));
}

function canonical(field: keyof ArticleValues, text: string): string {
  if (field === 'cover') return parsePhotoUrl(text) ?? text;
  return field === 'tags' ? parseTags(text).join() : text.trim();
}

/** Returns the values of a stored draft. Missing or invalid values are taken from `defaults`. */
export function mergeStoredValues(defaults: ArticleValues, stored: Readonly<Record<string, unknown>>): ArticleValues {
  return Object.fromEntries(
    FIELDS.map((field) => [field, typeof stored[field] === 'string' ? stored[field] : defaults[field]]),
  ) as unknown as ArticleValues;
}
