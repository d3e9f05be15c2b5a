import { PRODUCT_NAME, type PageAd, type PageArticle, type PageThread } from '@alpenglow/domain/contracts';
import type { Text } from '../texts.ts';

/** One step of the way to a page, from the home page down. */
export interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** What a page is, for search engines. */
export type PageKind =
  | { readonly kind: 'site' }
  /** A list of things of ours. */
  | { readonly kind: 'collection' }
  | { readonly kind: 'ad'; readonly ad: PageAd }
  | { readonly kind: 'thread'; readonly thread: PageThread }
  | { readonly kind: 'article'; readonly article: PageArticle }
  | { readonly kind: 'page' };

/** What the head of a page says. */
export interface Head {
  readonly status: 200 | 404;
  readonly title: string;
  readonly description: string;
  /** The one address of this content, from the root; null where none can be named. */
  readonly canonical: string | null;
  /** Whether search engines may show it. */
  readonly isIndexed: boolean;
  readonly page: PageKind;
  /** Without the home page; empty where there is no way to tell of. */
  readonly crumbs: readonly Crumb[];
  /** The address is an old or a short one of that page, which is sent instead. */
  readonly movedTo: string | null;
  /** Whether readers of feeds find the blog's here. */
  readonly hasFeeds: boolean;
}

export interface HeadInput {
  readonly pathname: string;
  /** With `?`, or empty. */
  readonly search: string;
  readonly t: Text;
  /** What the address names: null when there is none, undefined when it could not be asked for. */
  readonly ad?: PageAd | null | undefined;
  readonly thread?: PageThread | null | undefined;
  readonly article?: PageArticle | null | undefined;
}

/** A page that no search engine shows. */
export const usual = (t: Text): Head => ({
  status: 200,
  title: PRODUCT_NAME,
  description: t('siteText'),
  canonical: null,
  isIndexed: false,
  page: { kind: 'page' },
  crumbs: [],
  movedTo: null,
  hasFeeds: false,
});

export const titled = (title: string) => `${title} · ${PRODUCT_NAME}`;

/** Whether an address's query narrows or orders a list. Other parameters, such as those of a campaign, change nothing. */
export function isNarrowed(search: string, names: ReadonlySet<string>): boolean {
  return [...new URLSearchParams(search).keys()].some((name) => names.has(name));
}
