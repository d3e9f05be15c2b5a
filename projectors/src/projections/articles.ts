import { DEFAULT_ARTICLE_LANGUAGE, omitUndefined, findState } from '@alpenglow/domain';
import { ARTICLES, ARTICLE_TAGS, findMediaIds, renderMarkdown, type JsonRowOf } from '@alpenglow/infra';
import { defineProjection, type Tally } from '../projection.ts';
import { formatSearchVector } from './search-vector.ts';

export type ArticleRow = JsonRowOf<typeof ARTICLES>;

/** The maximum number of words of a text that the search covers. Further words are ignored. */
const WORDS_MAX = 4_000;

const articleTags: Tally<ArticleRow> = {
  name: ARTICLE_TAGS.name,
  columns: ['tags', 'status'],
  keysOf: ({ tags, status }) => (status === 'published' ? tags : []),
};

export const articles = defineProjection(ARTICLES)({
  indexes: (table) => [
    `create index on ${table} (published_at desc, slug desc) where status = 'published'`,
    `create index on ${table} (state, city, published_at desc, slug desc) where status = 'published'`,
    `create index on ${table} using gin (tags jsonb_ops) where status = 'published'`,
    `create index on ${table} (updated_at desc, slug desc)`,
    `create index on ${table} (publish_at) where status = 'scheduled'`,
    `create index on ${table} using gin (media_ids jsonb_ops)`,
    `create index on ${table} using gin (words) with (gin_pending_list_limit = 256)`,
  ],
  keyOf: ({ data }) => ('articleId' in data ? data.articleId : null),
  tallies: [articleTags],
  on: {
    ArticleDrafted: ({ data, meta }) => {
      const { articleId, title, summary, body, state, city, tags, cover } = data;
      return withMediaIds({
        slug: articleId,
        status: 'draft',
        title,
        summary,
        ...textColumns(body),
        language: data.language ?? DEFAULT_ARTICLE_LANGUAGE,
        state,
        city,
        tags,
        cover,
        media_ids: [],
        publish_at: null,
        published_at: null,
        updated_at: meta.at,
        corrected_at: null,
        corrections: [],
        words: '',
      });
    },
    ArticleRevised: ({ data, meta }, row) => row && { ...withChanges(row, data), updated_at: meta.at },
    ArticleScheduled: ({ data, meta }, row) =>
      row && { ...row, status: 'scheduled', publish_at: data.publishAt, updated_at: meta.at },
    ArticleUnscheduled: ({ meta }, row) => row && { ...row, status: 'draft', publish_at: null, updated_at: meta.at },
    ArticlePublished: ({ meta }, row) =>
      row &&
      withSearchWords({
        ...row,
        status: 'published',
        publish_at: null,
        published_at: row.published_at ?? meta.at,
        updated_at: meta.at,
      }),
    ArticleCorrected: ({ data, meta }, row) =>
      row &&
      withSearchWords({
        ...withChanges(row, data),
        updated_at: meta.at,
        corrected_at: meta.at,
        corrections: [{ note: data.note, at: meta.at }, ...row.corrections],
      }),
    ArticleWithdrawn: ({ meta }, row) => row && { ...row, status: 'withdrawn', words: '', updated_at: meta.at },
    ArticleDiscarded: () => null,
  },
});

type Changes = {
  readonly [Field in 'title' | 'summary' | 'body' | 'language' | 'state' | 'city' | 'tags' | 'cover']?:
    | ArticleRow[Field]
    | undefined;
};

function withChanges(row: ArticleRow, changes: Changes): ArticleRow {
  const { title, summary, body, language, state, city, tags, cover } = changes;
  return withMediaIds({
    ...row,
    ...omitUndefined({ title, summary, language, state, city, tags, cover }),
    ...(body !== undefined && textColumns(body)),
  });
}

function withMediaIds(row: ArticleRow): ArticleRow {
  const ids = findMediaIds(row.html);
  return { ...row, media_ids: [...new Set(row.cover === null ? ids : [row.cover, ...ids])] };
}

function textColumns(body: string): Pick<ArticleRow, 'body' | 'html' | 'text_words'> {
  const { html, text } = renderMarkdown(body, 'article');
  return { body, html, text_words: text.split(/\s+/u).filter((word) => word !== '').length };
}

function withSearchWords(row: ArticleRow): ArticleRow {
  const { title, summary, tags, state, city, body } = row;
  const place = state === null ? '' : `${city ?? ''} ${findState(state)?.name ?? ''} ${state}`;
  return {
    ...row,
    words: formatSearchVector([
      ['A', title, WORDS_MAX],
      ['B', `${summary} ${tags.join(' ')} ${place}`, WORDS_MAX],
      ['C', renderMarkdown(body, 'article').text, WORDS_MAX],
    ]),
  };
}
