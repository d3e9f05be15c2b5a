import type { Category } from '../listing/categories.ts';
import type { ResponseOf } from './views.ts';

/**
 * An ad in the server-rendered HTML (F-22). It is public, so it contains no phone number, links, e-mail address or
 * name.
 */
export interface PageAd {
  readonly id: string;
  /** The words of the title in the URL of the ad. */
  readonly slug: string;
  /** The title with marks instead of contact details. A shell of the earlier release makes the URL from it. */
  readonly title: string;
  /** The title without contact details. It may be empty. */
  readonly heading: string;
  /** The beginning of the description on one line, without contact details. It may be empty. */
  readonly excerpt: string;
  readonly category: Category;
  readonly state: string;
  readonly city: string;
  /** The first photo that is ready, with its size in pixels. Null if no photo is ready. */
  readonly cover: { readonly id: string; readonly width_px: number; readonly height_px: number } | null;
  readonly rating: number;
  readonly reviewCount: number;
  /** False if no list contains the ad. Its page still exists. */
  readonly isListed: boolean;
  /** Time at which the owner last posted, edited or bumped the ad, in ISO 8601 (UTC). */
  readonly updatedAt: string;
}

/** The fields of an ad that the sitemap needs. */
export type SitemapAd = Pick<PageAd, 'id' | 'slug' | 'title' | 'state' | 'city' | 'updatedAt'>;

/** A thread in the server-rendered HTML. It is public, so it contains no names. */
export interface PageThread {
  readonly id: string;
  readonly country: string;
  readonly state: string;
  readonly city: string;
  /**
   * The title that the author wrote. The URL is derived from this title. Empty if the author has deleted the opening
   * post.
   */
  readonly title: string;
  /** The title without contact details. It may be empty. */
  readonly heading: string;
  /** The beginning of the opening post on one line, without contact details. It may be empty. */
  readonly excerpt: string;
  readonly replyCount: number;
  /** Time at which the thread was started, in ISO 8601 (UTC). */
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
  /** The language of title, summary and text (BCP 47). */
  readonly language: string;
  readonly state: string | null;
  readonly city: string | null;
  readonly tags: readonly string[];
  readonly cover: PageAd['cover'];
  /** Time of the first publication, in ISO 8601 (UTC). */
  readonly publishedAt: string;
  readonly updatedAt: string;
}

/** An article with its text as safe HTML, for the RSS and Atom feeds. */
export interface FeedArticle extends PageArticle {
  readonly html: string;
}

/** The fields of a thread that the sitemap needs. */
export type SitemapThread = Pick<PageThread, 'id' | 'country' | 'state' | 'city' | 'title' | 'lastPostAt'>;

/** A response of the API that is the same for all visitors. */
export interface PageApiResponse {
  /** The body of the response as JSON text. */
  readonly body: string;
  /** Position in the event log up to which the response includes all events. Null if unknown. */
  readonly position: string | null;
}

/**
 * The queries that the shell server needs to create its HTML pages. If all services run in one process, an adapter
 * reads the tables of the read models. In a cluster, an adapter calls the query API over HTTP. The queries do not count
 * views, and their results do not depend on the requester.
 */
export interface PageReader {
  /**
   * Returns the response to a `GET` request, e.g. for `/api/ads?state=NV` or `/api/blog/articles`. Only operations
   * whose response is the same for all visitors are supported. Returns null for all other operations, and for an error
   * response.
   */
  readApiResponse(path: string): Promise<PageApiResponse | null>;
  /**
   * Returns the views, errors and speeds of the deployments of front ends since a day, without a cache.
   * @param firstDay a date such as 2026-11-30 (UTC)
   */
  readFrontEndStatistics(firstDay: string): Promise<ResponseOf<'getFrontEndStatistics'>['data']['deployments']>;
  /** Returns the ad with this id if the ad is online. Otherwise, returns null. */
  findAd(adId: string): Promise<PageAd | null>;
  /** Returns true if an ad with this id was posted, and its owner still has an account. */
  isFormerAd(adId: string): Promise<boolean>;
  /** Returns a thread by its id or slug. Returns null for an unknown or hidden thread. */
  findThread(idOrSlug: string): Promise<PageThread | null>;
  /** Returns the published article with this slug, or null. */
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
   * Returns the id of every `size`-th listed ad, in the order of the ids. Each returned id is the last id in one file
   * of the sitemap.
   */
  listSitemapBoundaries(size: number): Promise<readonly string[]>;
}
