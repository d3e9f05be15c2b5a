import type { Category } from '../listing/categories.ts';

/**
 * An ad in the server-rendered HTML (F-22). It is public, so it contains no phone number, links, e-mail address or
 * name.
 */
export interface PageAd {
  readonly id: string;
  /** The title as the provider wrote it. The URL of the ad is derived from it. */
  readonly title: string;
  /** The title without contact details. It may be empty. */
  readonly heading: string;
  /** The beginning of the description on one line, without contact details. It may be empty. */
  readonly excerpt: string;
  readonly category: Category;
  readonly state: string;
  readonly city: string;
  /** Id and size of the first photo that is ready. Null if there is none. */
  readonly cover: { readonly id: string; readonly width_px: number; readonly height_px: number } | null;
  readonly rating: number;
  readonly reviewCount: number;
  /** False if no list contains the ad. Its page still exists. */
  readonly isListed: boolean;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
}

/** An ad in the sitemap. */
export type SitemapAd = Pick<PageAd, 'id' | 'title' | 'state' | 'city' | 'updatedAt'>;

/** A thread in the server-rendered HTML. It is public, so it contains no names. */
export interface PageThread {
  readonly id: string;
  readonly country: string;
  readonly state: string;
  readonly city: string;
  /** The title as the author wrote it. The URL is derived from it. Empty if the author has deleted it. */
  readonly title: string;
  /** The title without contact details. It may be empty. */
  readonly heading: string;
  /** The beginning of the opening post on one line, without contact details. It may be empty. */
  readonly excerpt: string;
  readonly replyCount: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly lastPostAt: string;
  /**
   * False if the opening post was deleted and only replies remain. The page still exists, but no list
   * contains the thread.
   */
  readonly isListed: boolean;
}

/** A published article in the server-rendered HTML and the feeds. */
export interface PageArticle {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly state: string | null;
  readonly city: string | null;
  readonly tags: readonly string[];
  readonly cover: PageAd['cover'];
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
  readonly updatedAt: string;
}

/** An article with its text as safe HTML, for the feeds. */
export interface FeedArticle extends PageArticle {
  readonly html: string;
}

/** A thread in the sitemap. */
export type SitemapThread = Pick<PageThread, 'id' | 'country' | 'state' | 'city' | 'title' | 'lastPostAt'>;

/** A response of the API that is the same for all visitors. */
export interface PageApiResponse {
  /** The body of the response as JSON text. */
  readonly body: string;
  /** Position in the event log up to which the response includes all events. Null if unknown. */
  readonly position: string | null;
}

/**
 * The queries with which the shell server creates its pages. In a single process, an adapter reads the read models. In
 * a cluster, an adapter calls the query API over HTTP. No query counts a view, and no result depends on the requester.
 */
export interface PageReader {
  /**
   * Returns the response to a `GET` request, e.g. for `/api/ads?state=NV` or `/api/blog/articles`. The response must be
   * the same for all visitors. Returns null for an error response or another operation.
   */
  readApiResponse(path: string): Promise<PageApiResponse | null>;
  /** Returns an ad that is online. Returns null for any other id. */
  findAd(adId: string): Promise<PageAd | null>;
  /** Returns a thread by its id or slug. Returns null for an unknown or hidden thread. */
  findThread(idOrSlug: string): Promise<PageThread | null>;
  /** Returns a published article, or null. */
  findArticle(slug: string): Promise<PageArticle | null>;
  /** Returns the newest articles, at most `limit`. */
  listFeedArticles(limit: number): Promise<readonly FeedArticle[]>;
  /** Returns at most `limit` listed threads whose ids are greater than `after`, in the order of their ids. */
  listSitemapThreads(after: string, limit: number): Promise<readonly SitemapThread[]>;
  /** Returns the published articles, the newest first, at most `limit`. */
  listSitemapArticles(limit: number): Promise<readonly Pick<PageArticle, 'slug' | 'updatedAt'>[]>;
  /**
   * Returns at most `limit` listed ads in the order of their ids. The ids are greater than `after` and at most `upTo`.
   * If `upTo` is null, there is no upper bound.
   */
  listSitemapAds(after: string, upTo: string | null, limit: number): Promise<readonly SitemapAd[]>;
  /**
   * Returns the id of every `size`-th listed ad, in the order of the ids. Each file of the sitemap ends at one of them.
   */
  listSitemapBoundaries(size: number): Promise<readonly string[]>;
}
