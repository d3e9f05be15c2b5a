import { article, type AdminArticleCard, type AdminArticleView, type ArticleStatus } from '@alpenglow/domain';
import { renderMarkdown, type CommandHandler, type Pool } from '@alpenglow/infra';
import { pageOf } from '../admin/page-query.ts';
import type { AdminArticleQuery } from './article-query.ts';
import {
  ARTICLE_COLUMNS,
  coverColumn,
  coverOf,
  type ArticleRow,
  type CorrectionRow,
  type CoverRow,
} from './article-row.ts';

export interface AdminArticlePage {
  readonly articles: readonly AdminArticleCard[];
  readonly nextCursor: string | null;
  readonly total: number;
}

export interface FoundArticle {
  readonly article: AdminArticleView;
  /** Of its stream: what a write hands back as `If-Match`. */
  readonly revision: number;
}

/** Articles of every status. */
export interface AdminArticleReader {
  /** The one changed last first. */
  list(query: AdminArticleQuery): Promise<AdminArticlePage>;
  find(slug: string): Promise<FoundArticle | null>;
}

interface AdminRow extends ArticleRow {
  readonly status: ArticleStatus;
  readonly publish_at: Date | null;
  readonly corrections: readonly CorrectionRow[];
}

interface KnownRow {
  readonly body: string;
  readonly html: string;
  readonly updated_at: Date;
  readonly corrections: readonly CorrectionRow[];
}

/** Reads articles as admins see them. One article is read off its events: its words and its revision have to belong together. */
export function createAdminArticleReader({
  pool,
  commands,
}: {
  readonly pool: Pool;
  readonly commands: Pick<CommandHandler, 'load'>;
}): AdminArticleReader {
  return {
    async list({ status, after, limit }) {
      const [counted, found] = await Promise.all([
        pool.query<{ total: number }>({
          name: 'admin-articles-count',
          text: 'select count(*)::int as total from rm.articles a where $1::text is null or a.status = $1',
          values: [status],
        }),
        pool.query<AdminRow>({
          name: 'admin-articles',
          text: `select ${ARTICLE_COLUMNS}, a.status, a.publish_at, a.corrections from rm.articles a
                 where ($1::text is null or a.status = $1) and ($2::timestamptz is null or (a.updated_at, a.slug) < ($2, $3))
                 order by a.updated_at desc, a.slug desc limit $4`,
          values: [status, after?.at ?? null, after?.id ?? null, limit + 1],
        }),
      ]);
      const page = pageOf(found.rows, limit, ({ slug: id, updated_at }) => ({ at: updated_at.toISOString(), id }));
      return { articles: page.rows.map(adminCardOf), nextCursor: page.nextCursor, total: counted.rows[0]?.total ?? 0 };
    },

    async find(slug) {
      const { state, revision } = await commands.load(article, slug);
      if (!state) return null;
      const { articleId: _id, ...fields } = state;
      const [known, media] = await Promise.all([
        pool.query<KnownRow>({
          name: 'admin-article',
          text: 'select body, html, updated_at, corrections from rm.articles where slug = $1',
          values: [slug],
        }),
        pool.query<{ cover_media: CoverRow | null }>({
          name: 'admin-article-cover',
          text: `select ${coverColumn('$1')}`,
          values: [state.cover],
        }),
      ]);
      const row = known.rows[0];
      const view: AdminArticleView = {
        ...fields,
        slug,
        tags: [...state.tags],
        cover: coverOf(state.cover, media.rows[0]?.cover_media ?? null),
        // One the read model has not heard of yet was written just now.
        updatedAt: (row?.updated_at ?? new Date()).toISOString(),
        corrections: [...(row?.corrections ?? [])],
        html: row?.body === state.body ? row.html : renderMarkdown(state.body, 'article').html,
      };
      return { article: view, revision };
    },
  };
}

function adminCardOf(row: AdminRow): AdminArticleCard {
  const { slug, status, title, summary, state, city, tags, corrections } = row;
  return {
    slug,
    status,
    title,
    summary,
    state,
    city,
    tags: [...tags],
    cover: coverOf(row.cover, row.cover_media),
    publishAt: row.publish_at?.toISOString() ?? null,
    publishedAt: row.published_at?.toISOString() ?? null,
    updatedAt: row.updated_at.toISOString(),
    corrections: [...corrections],
  };
}
