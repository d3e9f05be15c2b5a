import { MINIMUM_AGE_years, PRODUCT_NAME, adPath, type AdCard, type PageAd } from '@alpenglow/domain/contracts';
import { stateNamed } from '../data/places.ts';
import type { Text } from '../texts.ts';
import type { Head } from './head.ts';

/** The beginning of the list a page shows: enough to make addresses of, and the pictures that come first. */
export type ListedAds = readonly Pick<AdCard, 'id' | 'state' | 'city' | 'title' | 'media'>[];

export interface StructuredDataInput {
  readonly head: Head;
  /** An absolute URL of a path from the root. */
  readonly urlOf: (path: string) => string;
  /** Of the page's picture. */
  readonly image: string;
  readonly locale: string;
  readonly t: Text;
  readonly listed: ListedAds;
}

/** What the page is in the words of schema.org, as JSON-LD. Never a name, a phone number, a link or an e-mail address of anybody (design, trust and privacy). */
export function structuredData(input: StructuredDataInput): object | null {
  const { head } = input;
  if (!head.isIndexed || head.canonical === null) return null;
  const graph = [mainThing(input, head.canonical), breadcrumbs(input)].flat().filter((thing) => thing !== null);
  return graph.length === 0 ? null : { '@context': 'https://schema.org', '@graph': graph };
}

function mainThing({ head, urlOf, image, locale, listed, t }: StructuredDataInput, canonical: string): object | readonly object[] | null {
  const { page, title: name, description } = head;
  const url = urlOf(canonical);
  switch (page.kind) {
    case 'site':
      return [
        {
          '@type': 'WebSite',
          '@id': urlOf('/#site'),
          name: PRODUCT_NAME,
          description,
          url,
          inLanguage: locale,
          publisher: { '@id': urlOf('/#operator') },
          potentialAction: { '@type': 'SearchAction', target: { '@type': 'EntryPoint', urlTemplate: `${urlOf('/listings')}?q={search_term_string}` }, 'query-input': 'required name=search_term_string' },
        },
        { '@type': 'Organization', '@id': urlOf('/#operator'), name: PRODUCT_NAME, url, logo: image },
      ];
    case 'collection':
      return {
        '@type': 'CollectionPage',
        name,
        description,
        url,
        inLanguage: locale,
        isPartOf: { '@id': urlOf('/#site') },
        ...(listed.length > 0 && {
          mainEntity: { '@type': 'ItemList', numberOfItems: listed.length, itemListElement: listed.map((ad, index) => ({ '@type': 'ListItem', position: index + 1, url: urlOf(adPath(ad)) })) },
        }),
      };
    case 'ad':
      return offer(page.ad, url, description, image, t);
    case 'page':
      return null;
  }
}

/** An ad offers a service in a city: who offers it, and how to reach them, is for the page to tell. */
function offer(ad: PageAd, url: string, description: string, image: string, t: Text): object {
  const category = t(`categories.${ad.category}`);
  return {
    '@type': 'Offer',
    url,
    availability: 'https://schema.org/InStock',
    itemOffered: {
      '@type': 'Service',
      name: ad.heading || category,
      description,
      serviceType: category,
      image,
      audience: { '@type': 'PeopleAudience', requiredMinAge: MINIMUM_AGE_years },
      areaServed: { '@type': 'City', name: ad.city, containedInPlace: { '@type': 'State', name: stateNamed(ad.state)?.name ?? ad.state } },
      ...(ad.reviewCount > 0 && { aggregateRating: { '@type': 'AggregateRating', ratingValue: ad.rating, reviewCount: ad.reviewCount } }),
    },
  };
}

function breadcrumbs({ head: { crumbs }, urlOf, t }: StructuredDataInput): object | null {
  if (crumbs.length === 0) return null;
  const way = [{ name: t('home'), path: '/' }, ...crumbs];
  return { '@type': 'BreadcrumbList', itemListElement: way.map(({ name, path }, index) => ({ '@type': 'ListItem', position: index + 1, name, item: urlOf(path) })) };
}
