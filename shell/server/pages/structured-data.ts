import {
  MINIMUM_AGE_years,
  PRODUCT_NAME,
  type PageAd,
  type PageArticle,
  type PageThread,
} from '@alpenglow/domain/contracts';
import { parseState } from '../data/places.ts';
import type { Text } from '../texts.ts';
import type { Head } from './head-parts.ts';

export interface StructuredDataInput {
  readonly head: Head;
  readonly urlOf: (path: string) => string;
  readonly image: string;
  readonly locale: string;
  readonly t: Text;
  /** Paths of the first entries in the list that the page shows. */
  readonly listed: readonly string[];
}

/**
 * Returns the schema.org description of a page as JSON-LD. Returns null if the page has no such description. The
 * description never contains the name, phone number, links or e-mail address of a person (F-23).
 */
export function createStructuredData(input: StructuredDataInput): object | null {
  const { head } = input;
  if (!head.isIndexed || head.canonical === null) return null;
  const graph = [mainEntity(input, head.canonical), breadcrumbs(input)].flat().filter((node) => node !== null);
  return graph.length === 0 ? null : { '@context': 'https://schema.org', '@graph': graph };
}

function mainEntity(
  { head, urlOf, image, locale, listed, t }: StructuredDataInput,
  canonical: string,
): object | readonly object[] | null {
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
          potentialAction: {
            '@type': 'SearchAction',
            target: { '@type': 'EntryPoint', urlTemplate: `${urlOf('/listings')}?q={search_term_string}` },
            'query-input': 'required name=search_term_string',
          },
        },
        operator(urlOf, { logo: image }),
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
          mainEntity: {
            '@type': 'ItemList',
            numberOfItems: listed.length,
            itemListElement: listed.map((path, index) => ({
              '@type': 'ListItem',
              position: index + 1,
              url: urlOf(path),
            })),
          },
        }),
      };
    case 'ad':
      return offer(page.ad, url, description, image, t);
    case 'thread':
      return posting(page.thread, url, description, urlOf, t);
    case 'article':
      return blogPosting(page.article, url, image, urlOf);
    case 'page':
      return null;
  }
}

/** Describes an ad as the offer of a service in a city. Leaves out the provider and the contact data. */
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
      areaServed: cityOf(ad.state, ad.city),
      ...(ad.reviewCount > 0 && {
        aggregateRating: { '@type': 'AggregateRating', ratingValue: ad.rating, reviewCount: ad.reviewCount },
      }),
    },
  };
}

const cityOf = (state: string, city: string) => ({
  '@type': 'City',
  name: city,
  containedInPlace: { '@type': 'State', name: parseState(state)?.name ?? state },
});

const operator = (urlOf: (path: string) => string, more: object = {}) => ({
  '@type': 'Organization',
  '@id': urlOf('/#operator'),
  name: PRODUCT_NAME,
  url: urlOf('/'),
  ...more,
});

/** Describes a thread. The author is always "the members", so that the description contains no name of a person. */
function posting(thread: PageThread, url: string, text: string, urlOf: (path: string) => string, t: Text): object {
  return {
    '@type': 'DiscussionForumPosting',
    url,
    mainEntityOfPage: url,
    headline: thread.heading || t('thread'),
    text,
    author: { '@type': 'Organization', name: t('members'), url: urlOf('/community') },
    datePublished: thread.startedAt,
    commentCount: thread.replyCount,
    interactionStatistic: {
      '@type': 'InteractionCounter',
      interactionType: 'https://schema.org/CommentAction',
      userInteractionCount: thread.replyCount,
    },
    contentLocation: cityOf(thread.state, thread.city),
  };
}

function blogPosting(
  { title, summary, language, publishedAt, updatedAt, tags, state, city }: PageArticle,
  url: string,
  image: string,
  urlOf: (path: string) => string,
): object {
  return {
    '@type': 'BlogPosting',
    url,
    mainEntityOfPage: url,
    headline: title,
    description: summary,
    inLanguage: language,
    image,
    datePublished: publishedAt,
    dateModified: updatedAt,
    author: operator(urlOf),
    publisher: { '@id': urlOf('/#operator') },
    ...(tags.length > 0 && { keywords: tags.join(', ') }),
    ...(state !== null && city !== null && { about: cityOf(state, city) }),
  };
}

function breadcrumbs({ head: { crumbs }, urlOf, t }: StructuredDataInput): object | null {
  if (crumbs.length === 0) return null;
  const levels = [{ name: t('home'), path: '/' }, ...crumbs];
  return {
    '@type': 'BreadcrumbList',
    itemListElement: levels.map(({ name, path }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: urlOf(path),
    })),
  };
}
