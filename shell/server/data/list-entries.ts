import {
  adPath,
  articlePath,
  communityPath,
  type AdCard,
  type ArticleCard,
  type ThreadCard,
} from '@alpenglow/domain/contracts';

type ListedAds = readonly Pick<AdCard, 'id' | 'state' | 'city' | 'slug' | 'media'>[];

/** The entries of a response that contains a list of ads, threads or articles. */
export interface ListEntries {
  /** Paths of the pages of the listed entries, in list order. Empty if the response contains no such list. */
  readonly paths: readonly string[];
  readonly ads: ListedAds;
}

const NO_ENTRIES: ListEntries = { paths: [], ads: [] };

/** Returns the entries of an API response. `path` is the request path, and `data` the data of the response. */
export function getListEntries(path: string, data: unknown): ListEntries {
  const [address = ''] = path.split('?', 1);
  if (!Array.isArray(data)) return NO_ENTRIES;
  // The casts are safe, because query-api wrote the JSON in the format of its OpenAPI document.
  switch (address) {
    case '/api/ads': {
      const ads = data as ListedAds;
      return { paths: ads.map(adPath), ads };
    }
    case '/api/community/threads':
      return {
        paths: (data as readonly ThreadCard[]).map(
          ({ country, state, city, slug }) => `${communityPath(country, state, city)}/${slug}`,
        ),
        ads: [],
      };
    case '/api/blog/articles':
      return { paths: (data as readonly ArticleCard[]).map(({ slug }) => articlePath(slug)), ads: [] };
    default:
      return NO_ENTRIES;
  }
}
