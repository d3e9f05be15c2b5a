import { articlePath, findCity, slugOf } from '@alpenglow/domain/contracts';
import { isNarrowed, titled, usual, type Head, type HeadInput } from './head-parts.ts';

const FILTERS = new Set(['tag', 'city', 'cursor', 'q']);

/** The head of `/blog` and of what is directly below it: the articles of a city, or one article. */
export function blogHead(input: HeadInput, slug: string | undefined): Head {
  const { t, search } = input;
  const top = { name: t('blog'), path: '/blog' };
  const list: Head = {
    ...usual(t),
    title: titled(top.name),
    description: t('blogText'),
    canonical: top.path,
    isIndexed: !isNarrowed(search, FILTERS),
    page: { kind: 'collection' },
    crumbs: [top],
    hasFeeds: true,
  };
  if (slug === undefined) return list;
  const place = findCity(slug);
  if (!place) return articleHead(input);
  const path = `${top.path}/${slugOf(place.city)}`;
  return {
    ...list,
    title: titled(t('blogIn', { place: place.city })),
    canonical: path,
    crumbs: [top, { name: place.city, path }],
  };
}

function articleHead({ t, article }: HeadInput): Head {
  const found = { ...usual(t), hasFeeds: true };
  // What could not be asked for may well be there; an address that can be no article's is asked for by nobody.
  if (article === undefined) return { ...found, title: titled(t('blog')), description: t('blogText'), isIndexed: true };
  if (article === null)
    return { ...found, status: 404, title: titled(t('articleMissing')), description: t('articleMissingText') };
  const { title, summary, city } = article;
  const path = articlePath(article.slug);
  const ofCity = city === null ? [] : [{ name: city, path: `/blog/${slugOf(city)}` }];
  return {
    ...found,
    title: titled(title),
    description: summary,
    canonical: path,
    isIndexed: true,
    page: { kind: 'article', article },
    crumbs: [{ name: t('blog'), path: '/blog' }, ...ofCity, { name: title, path }],
  };
}
