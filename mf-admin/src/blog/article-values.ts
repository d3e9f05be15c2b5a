import {
  articleSlugOf,
  mediaIdOf,
  newArticleFields,
  REQUIRED,
  type AdminArticleView,
} from '@alpenglow/domain/contracts';
import type { ArticleFields } from './calls.ts';

/** What stands in the editor's controls. */
export interface ArticleValues {
  readonly title: string;
  /** Empty: the title makes it. */
  readonly slug: string;
  readonly summary: string;
  readonly state: string;
  readonly city: string;
  /** Separated by commas. */
  readonly tags: string;
  /** The address of an upload; empty without a cover. */
  readonly cover: string;
  readonly body: string;
}

/** What the rules say of a field that is empty. */
export const REQUIRED_MESSAGE: string = REQUIRED;

export const EMPTY: ArticleValues = {
  title: '',
  slug: '',
  summary: '',
  state: '',
  city: '',
  tags: '',
  cover: '',
  body: '',
};
const FIELDS = Object.keys(EMPTY) as readonly (keyof ArticleValues)[];

/** Field → what is wrong with it. */
export type FieldErrors = Readonly<Partial<Record<string, string>>>;

/** An article as the editor shows it. */
export function valuesOf({ title, slug, summary, state, city, tags, cover, body }: AdminArticleView): ArticleValues {
  return {
    title,
    slug,
    summary,
    state: state ?? '',
    city: city ?? '',
    tags: tags.join(', '),
    cover: cover?.url ?? '',
    body,
  };
}

/** Tags as they are typed: `Safety, For clients` → `safety`, `for-clients`. */
export function tagsOf(text: string): readonly string[] {
  const tags = text.split(',').map((tag) => tag.trim().toLowerCase().replaceAll(/\s+/gu, '-'));
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

/** What is sent of the form. */
export function fieldsOf({ title, summary, state, city, tags, cover, body }: ArticleValues): ArticleFields {
  return { title, summary, body, state: state || null, city: city || null, tags: tagsOf(tags), cover: cover || null };
}

/** The address a new article will have. */
export const slugOfNew = ({ slug, title }: Pick<ArticleValues, 'slug' | 'title'>): string =>
  slug || articleSlugOf(title);

/** What the server would refuse, by the same rules in its words; empty when nothing. */
export function errorsIn(values: ArticleValues): FieldErrors {
  const parsed = newArticleFields.safeParse({ ...fieldsOf(values), slug: values.slug });
  const errors: Record<string, string> = {};
  for (const { path, message } of parsed.success ? [] : parsed.error.issues) errors[String(path[0] ?? '')] ??= message;
  return errors;
}

/** Whether two states of the editor say the same. A photo has more than one address. */
export function isSame(some: ArticleValues, others: ArticleValues): boolean {
  return FIELDS.every((field) => canonical(field, some[field]) === canonical(field, others[field]));
}

function canonical(field: keyof ArticleValues, text: string): string {
  if (field === 'cover') return mediaIdOf(text) ?? text;
  return field === 'tags' ? tagsOf(text).join() : text.trim();
}

/** `blank`, with those of its texts that were kept somewhere. */
export function valuesIn(blank: ArticleValues, kept: Readonly<Record<string, unknown>>): ArticleValues {
  return Object.fromEntries(
    FIELDS.map((field) => [field, typeof kept[field] === 'string' ? kept[field] : blank[field]]),
  ) as unknown as ArticleValues;
}
