import type { ArticleView, FeedArticle, PageArticle } from '@alpenglow/domain';
import { ARTICLES, ARTICLE_TAGS, omitMedia, type ReadPool, type SelectedRow } from '@alpenglow/infra';
import { createPage } from '../paging.ts';
import type { ArticleQuery } from './article-query.ts';
import { ARTICLE_COLUMNS, createArticleCard, HIDDEN_MEDIA_COLUMN, type ArticleRow } from './article-row.ts';

/** Reads only published blog articles. Drafts, scheduled articles and withdrawn articles are not found. */
export type ArticleReader = ReturnType<typeof createArticleReader>;

const TEXT = ARTICLES.select(['html', 'corrections'], 'a');
type TextRow = ArticleRow & SelectedRow<typeof TEXT> & { readonly hidden_media: readonly string[] };

const FILTERS = `a.status = 'published'
  and ($1::text[] is null or a.city = any($1)) and ($2::text is null or a.tags ? $2)`;
const NEWEST_FIRST = 'order by a.published_at desc, a.slug desc';

/** Creates an object that reads published blog articles. */
export function createArticleReader({ reads }: { readonly reads: ReadPool }) {
  async function readOne(slug: string): Promise<TextRow | null> {
    const { rows } = await reads.query<TextRow>({
      name: 'article-find',
      text: `select ${ARTICLE_COLUMNS}, ${TEXT}, ${HIDDEN_MEDIA_COLUMN}
               from ${ARTICLES.table} a
              where a.slug = $1 and a.status = 'published'`,
      values: [slug],
    });
    return rows[0] ?? null;
  }

  return {
    /** Lists articles, the newest first. */
    async list({ cities, tag, after, limit }: ArticleQuery) {
      const [counted, used, found] = await Promise.all([
        reads.query<{ total: number }>({
          name: 'articles-count',
          text: `select count(*)::int as total from ${ARTICLES.table} a where ${FILTERS}`,
          values: [cities, tag],
        }),
        reads.query<{ tag: string; count: number }>({
          name: 'article-tags',
          text: `select key as tag, count::int from ${ARTICLE_TAGS.table} where count > 0 order by count desc, key`,
        }),
        reads.query<ArticleRow>({
          name: 'articles-list',
          text: `select ${ARTICLE_COLUMNS}
                   from ${ARTICLES.table} a
                  where ${FILTERS} and ($3::timestamptz is null or (a.published_at, a.slug) < ($3, $4))
                  ${NEWEST_FIRST} limit $5`,
          values: [cities, tag, after?.key ?? null, after?.id ?? null, limit + 1],
        }),
      ]);
      const page = createPage(found.rows, limit, (row) => [row.published_at ?? row.updated_at, row.slug]);
      return {
        articles: page.rows.map(createArticleCard),
        tags: used.rows,
        nextCursor: page.nextCursor,
        total: counted.rows[0]?.total ?? 0,
      };
    },

    async find(slug: string): Promise<ArticleView | null> {
      const row = await readOne(slug);
      return row && { ...createArticleCard(row), html: createHtml(row), corrections: [...row.corrections] };
    },

    /** Returns the data of an article from which the server renders the HTML page of the article. */
    async findPage(slug: string): Promise<PageArticle | null> {
      const row = await readOne(slug);
      return row && createPageArticle(row);
    },

    /** Returns the newest articles, at most `limit`. */
    async listFeed(limit: number): Promise<readonly FeedArticle[]> {
      const { rows } = await reads.query<TextRow>({
        name: 'articles-feed',
        text: `select ${ARTICLE_COLUMNS}, ${TEXT}, ${HIDDEN_MEDIA_COLUMN} from ${ARTICLES.table} a
                where a.status = 'published' ${NEWEST_FIRST} limit $1`,
        values: [limit],
      });
      return rows.map((row) => ({ ...createPageArticle(row), html: createHtml(row) }));
    },

    /** Returns the slugs of the newest articles, at most `limit`. */
    async listSlugs(limit: number): Promise<readonly Pick<PageArticle, 'slug' | 'updatedAt'>[]> {
      const { rows } = await reads.query<{ slug: string; updated_at: Date }>({
        name: 'article-slugs',
        text: `select a.slug, coalesce(a.corrected_at, a.published_at) as updated_at from ${ARTICLES.table} a
                where a.status = 'published' ${NEWEST_FIRST} limit $1`,
        values: [limit],
      });
      return rows.map(({ slug, updated_at }) => ({ slug, updatedAt: updated_at.toISOString() }));
    },
  };
}

/** Returns the text of an article without the photos and videos that visitors must not see. */
const createHtml = ({ html, hidden_media }: Pick<TextRow, 'html' | 'hidden_media'>) => omitMedia(html, hidden_media);

function createPageArticle(row: ArticleRow): PageArticle {
  const { cover, publishedAt, updatedAt, ...card } = createArticleCard(row);
  const { slug, title, summary, language, state, city, tags } = card;
  const isShown = cover?.status === 'ready';
  return {
    slug,
    title,
    summary,
    language,
    state,
    city,
    tags,
    cover: isShown ? { id: cover.id, width_px: cover.width, height_px: cover.height } : null,
    publishedAt,
    updatedAt,
  };
}
