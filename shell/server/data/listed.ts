import {
  adPath,
  articlePath,
  communityPath,
  type AdCard,
  type ArticleCard,
  type ThreadCard,
} from '@alpenglow/domain/contracts';

/** As much of listed ads as their addresses and first pictures are made of. */
export type ListedAds = readonly Pick<AdCard, 'id' | 'state' | 'city' | 'title' | 'media'>[];

/** What an answer of the API lists. */
export interface Listed {
  /** Addresses from the root, in the list's order; none where it is no list of pages. */
  readonly paths: readonly string[];
  readonly ads: ListedAds;
}

const NOTHING: Listed = { paths: [], ads: [] };

/** What the answer of a path lists; its body is JSON of the API. */
export function listedIn(path: string, body: string): Listed {
  const [address = ''] = path.split('?', 1);
  const { data } = JSON.parse(body) as { data: unknown };
  if (!Array.isArray(data)) return NOTHING;
  // Written by this project's own query-api, in the shapes of its document.
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
      return NOTHING;
  }
}
