import { parse } from 'node:querystring';
import {
  beginningOf,
  AD_ID,
  DomainError,
  isArticleSlug,
  isPosition,
  withoutContact,
  type ErrorCode,
  type PageAd,
  type PageReads,
  type SitemapAd,
} from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import type { Asked, ListAnswers } from '../ads/list-answers.ts';
import type { CachedAnswer } from '../ads/list-cache.ts';
import { CARD_COLUMNS, cardOf, type CardRow } from '../ads/card-view.ts';
import type { ArticleAnswers } from '../blog/article-answers.ts';
import type { ArticleReader } from '../blog/article-reader.ts';
import type { CommunityAnswers } from '../community/community-answers.ts';
import { EXCERPT_MAX } from './excerpt.ts';
import { createThreadPages } from './thread-pages.ts';

/** Of a description, whatever its length: enough for an excerpt after contact details are gone. */
const READ_characters = 600;

export interface PageReadDependencies {
  readonly pool: Pool;
  readonly lists: ListAnswers;
  readonly communityAnswers: CommunityAnswers;
  readonly articles: ArticleReader;
  readonly articleAnswers: ArticleAnswers;
  readonly hiddenAdIds: readonly string[];
}

/** Reads what the first HTML and the sitemap need off the read models. Counts no view. */
export function createPageReads({
  pool,
  lists,
  communityAnswers,
  articles,
  articleAnswers,
  hiddenAdIds,
}: PageReadDependencies): PageReads {
  /** The answer to a `GET` of this address by a visitor; null where there is no such call, or one whose answer is not the same for all. */
  function answerTo(address: string, asked: Asked): Promise<CachedAnswer> | null {
    switch (address) {
      case '/api/ads':
        return lists.list(asked);
      case '/api/ads/counts':
        return lists.counts(asked);
      case '/api/community/threads':
        return communityAnswers.list(asked);
      case '/api/community/locations':
        return communityAnswers.locations();
      case '/api/blog/articles':
        return articleAnswers.list(asked);
    }
    const { thread, article } = ONE_OF_MANY.exec(address)?.groups ?? {};
    if (thread !== undefined) return communityAnswers.thread(thread, asked);
    return article !== undefined && isArticleSlug(article) ? articleAnswers.article(article) : null;
  }

  return {
    async answer(path) {
      const [address = '', search = ''] = path.split('?', 2);
      try {
        const answer = await answerTo(address, { search, query: () => parse(search) });
        return (
          answer && { body: answer.body.toString(), position: isPosition(answer.position) ? answer.position : null }
        );
      } catch (error) {
        if (error instanceof DomainError && REFUSED.includes(error.code)) return null;
        throw error;
      }
    },

    ...createThreadPages(pool),
    article: async (slug) => (isArticleSlug(slug) ? articles.page(slug) : null),
    feed: (limit) => articles.feed(limit),
    sitemapArticles: (limit) => articles.slugs(limit),

    async ad(adId) {
      if (!AD_ID.test(adId)) return null;
      const { rows } = await pool.query<CardRow & { readonly beginning: string }>({
        name: 'page-ad',
        text: `select ${CARD_COLUMNS}, left(d.description, ${READ_characters}) as beginning
               from rm.ad_cards c join rm.ad_details d using (account_id) where c.ad_id = $1 and d.ad_id = $1 and not c.is_hidden`,
        values: [adId],
      });
      const row = rows[0];
      return row ? pageAdOf(row, !hiddenAdIds.includes(adId)) : null;
    },

    async sitemapAds(after, upTo, limit) {
      const { rows } = await pool.query<SitemapRow>({
        name: 'sitemap-ads',
        text: `select ad_id, title, state, city, updated_at from rm.ad_cards
               where ad_id > $1 and ($2::text is null or ad_id <= $2) and ad_id <> all($3) and not is_hidden order by ad_id limit $4`,
        values: [after, upTo, hiddenAdIds, limit],
      });
      return rows.map(
        ({ ad_id: id, title, state, city, updated_at: updatedAt }): SitemapAd => ({
          id,
          title,
          state,
          city,
          updatedAt: updatedAt.toISOString(),
        }),
      );
    },

    async sitemapEnds(size) {
      const ends: string[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const { rows }: { rows: { ad_id: string }[] } = await pool.query<{ ad_id: string }>({
          name: 'sitemap-end',
          // Off the index alone, a stretch at a time, so that no statement is long. Hidden ads count: a file of the sitemap then has a few less.
          text: 'select ad_id from rm.ad_cards where ad_id > $1 and ad_id <> all($2) order by ad_id offset $3 limit 1',
          values: [after, hiddenAdIds, size - 1],
        });
        after = rows[0]?.ad_id;
        if (after !== undefined) ends.push(after);
      }
      return ends;
    },
  };
}

const REFUSED: readonly ErrorCode[] = ['INVALID_FIELDS', 'REQUIRED_FIELDS', 'THREAD_NOT_FOUND', 'ARTICLE_NOT_FOUND'];

/** Nothing in an id or a slug is ever encoded. */
const ONE_OF_MANY =
  /^\/api\/(?:community\/threads\/(?<thread>[\w-]{1,120})|blog\/articles\/(?<article>[\w-]{1,120}))$/u;

interface SitemapRow {
  readonly ad_id: string;
  readonly title: string;
  readonly state: string;
  readonly city: string;
  readonly updated_at: Date;
}

function pageAdOf(row: CardRow & { readonly beginning: string }, isListed: boolean): PageAd {
  const { id, title, category, state, city, media, rating, reviewCount, updatedAt } = cardOf(row);
  const cover = media.find(({ status }) => status === 'ready');
  return {
    id,
    title,
    heading: withoutContact(title),
    excerpt: beginningOf(withoutContact(row.beginning), EXCERPT_MAX),
    category,
    state,
    city,
    cover: cover ? { id: cover.id, width_px: cover.width, height_px: cover.height } : null,
    rating,
    reviewCount,
    isListed,
    updatedAt,
  };
}
