import { article, type AdminArticleCard, type AdminArticleView } from '@alpenglow/domain';
import { ARTICLES, renderMarkdown, type CommandHandler, type SelectedRow } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createPage } from '../paging.ts';
import type { AdminArticleQuery } from './article-query.ts';
import { ARTICLE_COLUMNS, coverColumn, createCoverView, type ArticleRow, type CoverRow } from './article-row.ts';

interface FoundArticle {
  readonly article: AdminArticleView;
  /**
   * The revision of the article's event stream. A client sends this revision in the `If-Match` header of a write
   * request.
   */
  readonly revision: number;
}

const STATUS = ARTICLES.select(['status', 'publish_at', 'corrections'], 'a');
type AdminRow = ArticleRow & SelectedRow<typeof STATUS>;

const RENDERED = ARTICLES.select(['body', 'html', 'updated_at', 'corrections']);

/**
 * Creates an object that reads blog articles of every status for admins, e.g. drafts. A single article is loaded from
 * its events, so that its text and its revision match.
 */
export function createAdminArticleReader({
  pool,
  commands,
}: Dependencies<'pool'> & { readonly commands: Pick<CommandHandler, 'load'> }) {
  return {
    /** Lists articles, the most recently changed article first. */
    async list({ status, after, limit }: AdminArticleQuery) {
      const [counted, found] = await Promise.all([
        pool.query<{ total: number }>({
          name: 'admin-articles-count',
          text: `select count(*)::int as total from ${ARTICLES.table} a where $1::text is null or a.status = $1`,
          values: [status],
        }),
        pool.query<AdminRow>({
          name: 'admin-articles',
          text: `select ${ARTICLE_COLUMNS}, ${STATUS} from ${ARTICLES.table} a
                 where ($1::text is null or a.status = $1)
                   and ($2::timestamptz is null or (a.updated_at, a.slug) < ($2, $3))
                 order by a.updated_at desc, a.slug desc limit $4`,
          values: [status, after?.key ?? null, after?.id ?? null, limit + 1],
        }),
      ]);
      const page = createPage(found.rows, limit, ({ slug, updated_at }) => [updated_at, slug]);
      return {
        articles: page.rows.map(createAdminCard),
        nextCursor: page.nextCursor,
        total: counted.rows[0]?.total ?? 0,
      };
    },

    async find(slug: string): Promise<FoundArticle | null> {
      const { state, revision } = await commands.load(article, slug);
      if (!state) return null;
      const { articleId: _id, ...fields } = state;
      const [known, media] = await Promise.all([
        pool.query<SelectedRow<typeof RENDERED>>({
          name: 'admin-article',
          text: `select ${RENDERED} from ${ARTICLES.table} where slug = $1`,
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
        cover: createCoverView(state.cover, media.rows[0]?.cover_media ?? null, true),
        // If the read model does not contain a new article yet, the current time is returned as the time of the last
        // change.
        updatedAt: (row?.updated_at ?? new Date()).toISOString(),
        corrections: [...(row?.corrections ?? [])],
        html: row?.body === state.body ? row.html : renderMarkdown(state.body, 'article').html,
      };
      return { article: view, revision };
    },
  };
}

function createAdminCard(row: AdminRow): AdminArticleCard {
  const { slug, status, title, summary, language, state, city, tags, corrections } = row;
  return {
    slug,
    status,
    title,
    summary,
    language,
    state,
    city,
    tags: [...tags],
    cover: createCoverView(row.cover, row.cover_media, true),
    publishAt: row.publish_at?.toISOString() ?? null,
    publishedAt: row.published_at?.toISOString() ?? null,
    updatedAt: row.updated_at.toISOString(),
    corrections: [...corrections],
  };
}
