import { parse } from 'node:querystring';
import {
  adSlug,
  truncateText,
  AD_ID_PATTERN,
  DomainError,
  hideContactDetails,
  isValidArticleSlug,
  isPosition,
  removeContactDetails,
  type ErrorCode,
  type PageAd,
  type PageReader,
} from '@alpenglow/domain';
import type { OperationId } from '@alpenglow/domain/api';
import { AD_CARDS, AD_DETAILS, parseQuery, type SelectedRow } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import type { ListResponses } from '../ads/list-responses.ts';
import type { CachedResponse } from '../ads/response-cache.ts';
import { CARD_COLUMNS, createAdCard, type CardRow } from '../ads/card-view.ts';
import { findFormerAd } from '../ads/ad-reader.ts';
import { AD_PROJECTIONS } from '../ads/routes.ts';
import type { ArticleResponses } from '../blog/article-responses.ts';
import type { ArticleReader } from '../blog/article-reader.ts';
import { ARTICLE_PROJECTIONS } from '../blog/routes.ts';
import type { CommunityResponses } from '../community/community-responses.ts';
import { THREAD_READ_MODELS } from '../community/routes.ts';
import type { SearchResponses } from '../search/search-responses.ts';
import { EXCERPT_MAX } from './excerpt.ts';
import { readStatistics } from '../front-ends/statistics-reader.ts';
import { createThreadPages } from './thread-pages.ts';

/** The number of characters that are read from the description of an ad. Contact details are then removed from them. */
const DESCRIPTION_characters = 600;

const SITEMAP_AD = AD_CARDS.select(['ad_id', 'title', 'state', 'city', 'updated_at']);

interface PageReadDependencies
  extends Dependencies<'pool' | 'reads' | 'hiddenAdIds' | 'positionTokens' | 'progress' | 'store'> {
  readonly lists: ListResponses;
  readonly communityResponses: CommunityResponses;
  readonly articles: ArticleReader;
  readonly articleResponses: ArticleResponses;
  readonly searchResponses: SearchResponses;
}

/**
 * Creates the functions that read the data of server-rendered pages and the sitemap. These reads are not counted as
 * views of ads.
 */
export function createPageReads({
  pool,
  reads,
  lists,
  communityResponses,
  articles,
  articleResponses,
  searchResponses,
  hiddenAdIds,
  positionTokens,
  progress,
  store,
}: PageReadDependencies): PageReader {
  /**
   * Returns the result of `find`. If it is null, waits until the read models contain all events, and calls `find` again
   * (R-7.97).
   */
  async function findAgain<T>(readModels: readonly string[], find: () => Promise<T | null>): Promise<T | null> {
    const found = await find();
    if (found !== null) return found;
    await progress.waitForHead(readModels, () => store.readHead());
    return find();
  }

  const threadPages = createThreadPages(reads);

  async function findAdRow(adId: string): Promise<PageAdRow | null> {
    const { rows } = await reads.query<PageAdRow>({
      name: 'page-ad',
      text: `select ${CARD_COLUMNS}, left(d.description, ${DESCRIPTION_characters}) as beginning
               from ${AD_CARDS.table} c join ${AD_DETAILS.table} d using (account_id)
               where c.ad_id = $1 and d.ad_id = $1 and not c.is_hidden`,
      values: [adId],
    });
    return rows[0] ?? null;
  }

  /**
   * Returns the API response that a visitor receives for a `GET` request. Returns null if `path` is not one of the
   * paths below.
   */
  function createResponse(path: string, search: string): Promise<CachedResponse> | null {
    const requestOf = <Id extends OperationId>(id: Id) => ({ search, query: () => parseQuery(id, parse(search)) });
    switch (path) {
      case '/api/ads':
        return lists.list(requestOf('listAds'), { details: false });
      case '/api/ads/counts':
        return lists.counts(requestOf('countAds'));
      case '/api/community/threads':
        return communityResponses.list(requestOf('listThreads'));
      case '/api/community/locations':
        return communityResponses.locations();
      case '/api/blog/articles':
        return articleResponses.list(requestOf('listArticles'));
      case '/api/search':
        return searchResponses.search(requestOf('search'));
    }
    const { ad, thread, article } = ITEM_PATH.exec(path)?.groups ?? {};
    if (ad !== undefined) return lists.adForPage(ad);
    if (thread !== undefined) return communityResponses.thread(thread, requestOf('getThread'));
    return article !== undefined && isValidArticleSlug(article) ? articleResponses.article(article) : null;
  }

  return {
    async readApiResponse(url) {
      const [path = '', search = ''] = url.split('?', 2);
      try {
        const response = await createResponse(path, search);
        if (!response) return null;
        const { body, through } = response;
        const { position, id } = through;
        return { body: body.toString(), position: isPosition(position) ? positionTokens.seal(position, id) : null };
      } catch (error) {
        if (error instanceof DomainError && NULL_CODES.includes(error.code)) return null;
        throw error;
      }
    },

    readFrontEndStatistics: async (firstDay) => (await readStatistics(pool, firstDay)).deployments,

    ...threadPages,
    findThread: (id) => findAgain(THREAD_READ_MODELS, () => threadPages.findThread(id)),
    findArticle: async (slug) =>
      isValidArticleSlug(slug) ? findAgain(ARTICLE_PROJECTIONS, () => articles.findPage(slug)) : null,
    listFeedArticles: (limit) => articles.listFeed(limit),
    listSitemapArticles: (limit) => articles.listSlugs(limit),

    async findAd(adId) {
      if (!AD_ID_PATTERN.test(adId)) return null;
      const row = await findAgain(AD_PROJECTIONS, () => findAdRow(adId));
      return row && createPageAd(row, !hiddenAdIds.includes(adId));
    },

    isFormerAd: async (adId) => AD_ID_PATTERN.test(adId) && (await findFormerAd(reads, adId)) !== null,

    async listSitemapAds(after, upTo, limit) {
      const { rows } = await reads.query<SelectedRow<typeof SITEMAP_AD>>({
        name: 'sitemap-ads',
        text: `select ${SITEMAP_AD} from ${AD_CARDS.table}
               where ad_id > $1 and ($2::text is null or ad_id <= $2) and ad_id <> all($3) and not is_hidden
               order by ad_id limit $4`,
        values: [after, upTo, hiddenAdIds, limit],
      });
      return rows.map(({ ad_id: id, title: fullTitle, updated_at, ...ad }) => {
        const title = hideContactDetails(fullTitle);
        return { id, slug: adSlug(title), title, ...ad, updatedAt: updated_at.toISOString() };
      });
    },

    async listSitemapBoundaries(size) {
      const ends: string[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const { rows }: { rows: { ad_id: string }[] } = await reads.query<{ ad_id: string }>({
          name: 'sitemap-end',
          // Each statement reads one short range of the index, so that no statement takes long. The range also contains
          // hidden ads, which the sitemap omits. A file of the sitemap may therefore contain fewer than `size` ads.
          text: `select ad_id from ${AD_CARDS.table}
                  where ad_id > $1 and ad_id <> all($2) order by ad_id offset $3 limit 1`,
          values: [after, hiddenAdIds, size - 1],
        });
        after = rows[0]?.ad_id;
        if (after !== undefined) ends.push(after);
      }
      return ends;
    },
  };
}

const NULL_CODES: readonly ErrorCode[] = [
  'INVALID_FIELDS',
  'REQUIRED_FIELDS',
  'AD_NOT_FOUND',
  'THREAD_NOT_FOUND',
  'ARTICLE_NOT_FOUND',
];

/** Matches the API path of a single ad, thread or blog article. Ids and slugs contain no percent-encoded characters. */
const ITEM_PATH =
  /^\/api\/(?:ads\/(?<ad>[\w-]{1,64})|community\/threads\/(?<thread>[\w-]{1,120})|blog\/articles\/(?<article>[\w-]{1,120}))$/u;

interface PageAdRow extends CardRow {
  readonly beginning: string;
}

function createPageAd(row: PageAdRow, isListed: boolean): PageAd {
  const { id, slug, title, category, state, city, media, rating, reviewCount, updatedAt } = createAdCard(row);
  const cover = media.find(({ status }) => status === 'ready');
  return {
    id,
    slug,
    title,
    // The title of the card has marks, which the title of a page must not have.
    heading: removeContactDetails(row.title),
    excerpt: truncateText(removeContactDetails(row.beginning), EXCERPT_MAX),
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
