import type { Category } from '../listing/categories.ts';

/** What the first HTML says of an ad (front-end design, "For search engines and shared links"). Public: no phone, no links, no e-mail, no name. */
export interface PageAd {
  readonly id: string;
  /** As it was written: addresses are made of it. */
  readonly title: string;
  /** The title without whatever looks like a way to reach somebody; it may be empty. */
  readonly heading: string;
  /** The beginning of the description on one line, without whatever looks like a way to reach somebody; it may be empty. */
  readonly excerpt: string;
  readonly category: Category;
  readonly state: string;
  readonly city: string;
  /** Id and size of the first photo that can be shown; null while there is none. */
  readonly cover: { readonly id: string; readonly width_px: number; readonly height_px: number } | null;
  readonly rating: number;
  readonly reviewCount: number;
  /** False for an ad that is in no list: its page stays. */
  readonly isListed: boolean;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
}

/** An ad as the sitemap needs it. */
export type SitemapAd = Pick<PageAd, 'id' | 'title' | 'state' | 'city' | 'updatedAt'>;

/** What the first HTML says of a thread. Public: no name of anybody. */
export interface PageThread {
  readonly id: string;
  readonly country: string;
  readonly state: string;
  readonly city: string;
  /** As it was written, for its address; empty where its author has deleted it. */
  readonly title: string;
  /** The title without whatever looks like a way to reach somebody; it may be empty. */
  readonly heading: string;
  /** The beginning of the opening post on one line, likewise. */
  readonly excerpt: string;
  readonly replyCount: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly lastPostAt: string;
  /** False where only replies are left to read: its page stays, nobody need find it. */
  readonly isListed: boolean;
}

/** What the first HTML and the feeds say of a published article. */
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

/** A thread as the sitemap needs it. */
export type SitemapThread = Pick<PageThread, 'id' | 'country' | 'state' | 'city' | 'title' | 'lastPostAt'>;

/** An answer of the API that every visitor gets alike. */
export interface PageAnswer {
  /** The body as the call itself answers it: JSON. */
  readonly body: string;
  /** A position of the event log that is not behind what the answer shows; null while none is known. */
  readonly position: string | null;
}

/**
 * What the shell's server asks for its pages: in one process a reader of the read models, in a cluster query-api over HTTP. Nothing here
 * counts a view or depends on who asks.
 */
export interface PageReads {
  /** The answer to a `GET` that is the same for everybody, e.g. `/api/ads?state=NV` or `/api/blog/articles`; null where that call would refuse, or is none of these. */
  answer(path: string): Promise<PageAnswer | null>;
  /** An ad that is up, or null. */
  ad(adId: string): Promise<PageAd | null>;
  /** A thread by its id or its slug, or null: hidden ones are not there. */
  thread(idOrSlug: string): Promise<PageThread | null>;
  /** A published article, or null. */
  article(slug: string): Promise<PageArticle | null>;
  /** The newest articles, `limit` at most. */
  feed(limit: number): Promise<readonly FeedArticle[]>;
  /** Listed threads in the order of their ids, those behind `after`, `limit` at most. */
  sitemapThreads(after: string, limit: number): Promise<readonly SitemapThread[]>;
  /** Every published article, the newest first, `limit` at most. */
  sitemapArticles(limit: number): Promise<readonly Pick<PageArticle, 'slug' | 'updatedAt'>[]>;
  /** Listed ads in the order of their ids, those behind `after`, `limit` at most; `upTo` is the last one wanted, null for no end. */
  sitemapAds(after: string, upTo: string | null, limit: number): Promise<readonly SitemapAd[]>;
  /** The id of every `size`-th listed ad, in order: where the files of a sitemap end. */
  sitemapEnds(size: number): Promise<readonly string[]>;
}
