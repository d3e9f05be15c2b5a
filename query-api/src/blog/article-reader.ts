import type { ArticleCard, ArticleListAnswer, ArticleView, FeedArticle, PageArticle } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { pageOf } from '../admin/page-query.ts';
import type { ArticleQuery } from './article-query.ts';
import { ARTICLE_COLUMNS, articleCardOf, type ArticleRow, type CorrectionRow } from './article-row.ts';

export interface ArticlePage extends Pick<ArticleListAnswer, 'tags' | 'nextCursor' | 'total'> {
  readonly articles: readonly ArticleCard[];
}

/** Published articles alone: a draft, a scheduled or a withdrawn one is not there. */
export interface ArticleReader {
  /** The newest first. */
  list(query: ArticleQuery): Promise<ArticlePage>;
  find(slug: string): Promise<ArticleView | null>;
  /** What the first HTML says of one. */
  page(slug: string): Promise<PageArticle | null>;
  /** The newest, `limit` at most. */
  feed(limit: number): Promise<readonly FeedArticle[]>;
  /** The addresses of all, the newest first, `limit` at most. */
  slugs(limit: number): Promise<readonly Pick<PageArticle, 'slug' | 'updatedAt'>[]>;
}

interface TextRow extends ArticleRow {
  readonly html: string;
  readonly corrections: readonly CorrectionRow[];
}

const FITS = `a.status = 'published' and ($1::text[] is null or a.city = any($1)) and ($2::text is null or a.tags ? $2)`;
const NEWEST_FIRST = 'order by a.published_at desc, a.slug desc';

/** Reads published articles from the read models. */
export function createArticleReader({ pool }: { readonly pool: Pool }): ArticleReader {
  async function readOne(slug: string): Promise<TextRow | null> {
    const { rows } = await pool.query<TextRow>({
      name: 'article-find',
      text: `select ${ARTICLE_COLUMNS}, a.html, a.corrections from rm.articles a where a.slug = $1 and a.status = 'published'`,
      values: [slug],
    });
    return rows[0] ?? null;
  }

  return {
    async list({ cities, tag, after, limit }) {
      const [counted, used, found] = await Promise.all([
        pool.query<{ total: number }>({
          name: 'articles-count',
          text: `select count(*)::int as total from rm.articles a where ${FITS}`,
          values: [cities, tag],
        }),
        pool.query<{ tag: string; count: number }>({
          name: 'article-tags',
          text: 'select key as tag, count::int from rm.article_tags where count > 0 order by count desc, key',
        }),
        pool.query<ArticleRow>({
          name: 'articles-list',
          text: `select ${ARTICLE_COLUMNS} from rm.articles a where ${FITS} and ($3::timestamptz is null or (a.published_at, a.slug) < ($3, $4)) ${NEWEST_FIRST} limit $5`,
          values: [cities, tag, after?.at ?? null, after?.id ?? null, limit + 1],
        }),
      ]);
      const page = pageOf(found.rows, limit, ({ slug: id, published_at, updated_at }) => ({
        at: (published_at ?? updated_at).toISOString(),
        id,
      }));
      return {
        articles: page.rows.map(articleCardOf),
        tags: used.rows,
        nextCursor: page.nextCursor,
        total: counted.rows[0]?.total ?? 0,
      };
    },

    async find(slug) {
      const row = await readOne(slug);
      return row && { ...articleCardOf(row), html: row.html, corrections: [...row.corrections] };
    },

    async page(slug) {
      const row = await readOne(slug);
      return row && pageArticleOf(row);
    },

    async feed(limit) {
      const { rows } = await pool.query<TextRow>({
        name: 'articles-feed',
        text: `select ${ARTICLE_COLUMNS}, a.html from rm.articles a where a.status = 'published' ${NEWEST_FIRST} limit $1`,
        values: [limit],
      });
      return rows.map((row) => ({ ...pageArticleOf(row), html: row.html }));
    },

    async slugs(limit) {
      const { rows } = await pool.query<{ slug: string; updated_at: Date }>({
        name: 'article-slugs',
        text: `select a.slug, coalesce(a.corrected_at, a.published_at) as updated_at from rm.articles a where a.status = 'published' ${NEWEST_FIRST} limit $1`,
        values: [limit],
      });
      return rows.map(({ slug, updated_at }) => ({ slug, updatedAt: updated_at.toISOString() }));
    },
  };
}

function pageArticleOf(row: ArticleRow): PageArticle {
  const { slug, title, summary, state, city, tags, cover, publishedAt, updatedAt } = articleCardOf(row);
  const isShown = cover?.status === 'ready';
  return {
    slug,
    title,
    summary,
    state,
    city,
    tags,
    cover: isShown ? { id: cover.id, width_px: cover.width, height_px: cover.height } : null,
    publishedAt,
    updatedAt,
  };
}
