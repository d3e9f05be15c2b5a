import { definedOnly, stateOf, type ArticleStatus } from '@alpenglow/domain';
import { renderMarkdown } from '@alpenglow/infra';
import { defineProjection, type Tally } from '../projection.ts';
import { weightedWords } from './words.ts';

/** An article of the blog, published or not: whoever reads for visitors looks at `status`. */
export type ArticleRow = {
  readonly slug: string;
  readonly status: ArticleStatus;
  readonly title: string;
  readonly summary: string;
  /** Markdown. */
  readonly body: string;
  readonly html: string;
  /** How many words the text has. */
  readonly text_words: number;
  readonly state: string | null;
  readonly city: string | null;
  readonly tags: readonly string[];
  /** A media id. */
  readonly cover: string | null;
  readonly publish_at: string | null;
  /** When it was published first. */
  readonly published_at: string | null;
  /** When anything about it changed last. */
  readonly updated_at: string;
  readonly corrected_at: string | null;
  /** The newest first. */
  readonly corrections: readonly { readonly note: string; readonly at: string }[];
  /** None unless it is published: what is not is not found. */
  readonly words: string;
};

/** Longer articles are found by their beginning alone. */
const WORDS_MAX = 4_000;

/** The tags of published articles. */
const articleTags: Tally<ArticleRow> = {
  name: 'article_tags',
  columns: ['tags', 'status'],
  keysOf: ({ tags, status }) => (status === 'published' ? tags : []),
  indexes: () => [],
};

export const articles = defineProjection<ArticleRow>({
  name: 'articles',
  version: 1,
  columns: {
    slug: 'text primary key',
    status: 'text not null',
    title: 'text not null',
    summary: 'text not null',
    body: 'text not null',
    html: 'text not null',
    text_words: 'integer not null',
    state: 'text',
    city: 'text',
    tags: 'jsonb not null',
    cover: 'text',
    publish_at: 'timestamptz',
    published_at: 'timestamptz',
    updated_at: 'timestamptz not null',
    corrected_at: 'timestamptz',
    corrections: 'jsonb not null',
    words: 'tsvector not null',
  },
  indexes: (table) => [
    `create index on ${table} (published_at desc, slug desc) where status = 'published'`,
    `create index on ${table} (state, city, published_at desc, slug desc) where status = 'published'`,
    `create index on ${table} using gin (tags jsonb_ops) where status = 'published'`,
    `create index on ${table} (updated_at desc, slug desc)`,
    `create index on ${table} (publish_at) where status = 'scheduled'`,
    `create index on ${table} (cover) where cover is not null`,
    `create index on ${table} using gin (words) with (gin_pending_list_limit = 256)`,
  ],
  keyOf: ({ data }) => ('articleId' in data ? data.articleId : null),
  tallies: [articleTags],
  on: {
    ArticleDrafted: ({ data, meta }) => {
      const { articleId, title, summary, body, state, city, tags, cover } = data;
      return {
        slug: articleId,
        status: 'draft',
        title,
        summary,
        ...rendered(body),
        state,
        city,
        tags,
        cover,
        publish_at: null,
        published_at: null,
        updated_at: meta.at,
        corrected_at: null,
        corrections: [],
        words: '',
      };
    },
    ArticleRevised: ({ data, meta }, row) => row && { ...changed(row, data), updated_at: meta.at },
    ArticleScheduled: ({ data, meta }, row) =>
      row && { ...row, status: 'scheduled', publish_at: data.publishAt, updated_at: meta.at },
    ArticleUnscheduled: ({ meta }, row) => row && { ...row, status: 'draft', publish_at: null, updated_at: meta.at },
    ArticlePublished: ({ meta }, row) =>
      row &&
      found({
        ...row,
        status: 'published',
        publish_at: null,
        published_at: row.published_at ?? meta.at,
        updated_at: meta.at,
      }),
    ArticleCorrected: ({ data, meta }, row) =>
      row &&
      found({
        ...changed(row, data),
        updated_at: meta.at,
        corrected_at: meta.at,
        corrections: [{ note: data.note, at: meta.at }, ...row.corrections],
      }),
    ArticleWithdrawn: ({ meta }, row) => row && { ...row, status: 'withdrawn', words: '', updated_at: meta.at },
    ArticleDiscarded: () => null,
  },
});

type Changes = {
  readonly [Field in 'title' | 'summary' | 'body' | 'state' | 'city' | 'tags' | 'cover']?:
    | ArticleRow[Field]
    | undefined;
};

function changed(row: ArticleRow, { title, summary, body, state, city, tags, cover }: Changes): ArticleRow {
  return {
    ...row,
    ...definedOnly({ title, summary, state, city, tags, cover }),
    ...(body !== undefined && rendered(body)),
  };
}

function rendered(body: string): Pick<ArticleRow, 'body' | 'html' | 'text_words'> {
  const { html, text } = renderMarkdown(body, 'article');
  return { body, html, text_words: text.split(/\s+/u).filter((word) => word !== '').length };
}

/** The row with the words a search finds it by. */
function found(row: ArticleRow): ArticleRow {
  const { title, summary, tags, state, city, body } = row;
  const place = state === null ? '' : `${city ?? ''} ${stateOf(state)?.name ?? ''} ${state}`;
  return {
    ...row,
    words: weightedWords([
      ['A', title, WORDS_MAX],
      ['B', `${summary} ${tags.join(' ')} ${place}`, WORDS_MAX],
      ['C', renderMarkdown(body, 'article').text, WORDS_MAX],
    ]),
  };
}
