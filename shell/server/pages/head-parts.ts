import { PRODUCT_NAME, type PageAd, type PageArticle, type PageThread } from '@alpenglow/domain/contracts';
import type { RegisteredAreas } from '../../src/routes/owners.ts';
import type { Text, TextId } from '../texts.ts';

/** A page in the breadcrumb navigation. The home page is not included. */
export interface Breadcrumb {
  readonly name: string;
  readonly path: string;
}

type PageKind =
  | { readonly kind: 'site' }
  /** A page with a list of ads, threads or articles. */
  | { readonly kind: 'collection' }
  | { readonly kind: 'ad'; readonly ad: PageAd }
  | { readonly kind: 'thread'; readonly thread: PageThread }
  | { readonly kind: 'article'; readonly article: PageArticle }
  | { readonly kind: 'page' };

/** The data of a page's `<head>`. */
export interface Head {
  readonly status: 200 | 404;
  readonly title: string;
  readonly description: string;
  readonly canonical: string | null;
  readonly isIndexed: boolean;
  readonly page: PageKind;
  /** The breadcrumbs without the home page. Empty if the page is directly below the home page. */
  readonly crumbs: readonly Breadcrumb[];
  /**
   * The path with query to redirect to if the requested path is outdated or abbreviated, or if it comes from a form.
   * Otherwise null.
   */
  readonly movedTo: string | null;
  readonly hasFeeds: boolean;
}

export interface HeadInput {
  readonly pathname: string;
  /** The query of the URL with its `?`. It may be empty. */
  readonly search: string;
  readonly t: Text;
  /** The areas of the builds that the visitor gets. */
  readonly areas: RegisteredAreas;
  /** The content that the URL identifies. Null if it does not exist, undefined if it could not be read. */
  readonly ad?: PageAd | null | undefined;
  /** True if the ad does not exist any more, but was online before. */
  readonly isFormerAd?: boolean | undefined;
  readonly thread?: PageThread | null | undefined;
  readonly article?: PageArticle | null | undefined;
}

/** Returns the `<head>` data of a page that search engines must not index. */
export const createDefaultHead = (t: Text): Head => ({
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

/** Returns the `<head>` data of a page whose content does not exist. */
export const createMissingHead = (t: Text, id: Extract<TextId, `${string}Missing` | 'placeUnknown'>): Head => ({
  ...createDefaultHead(t),
  status: 404,
  title: formatTitle(t(id)),
  description: t(`${id}Text`),
});

export const formatTitle = (title: string) => `${title} · ${PRODUCT_NAME}`;

/**
 * Checks whether the query of a URL contains one of the parameters `names`, which filter or sort a list. Ignores other
 * parameters, for example those of an advertising campaign.
 */
export function isFiltered(search: string, names: ReadonlySet<string>): boolean {
  return [...new URLSearchParams(search).keys()].some((name) => names.has(name));
}
