import { articlePath, findCityBySlug, slugify } from '@alpenglow/domain/contracts';
import {
  isFiltered,
  formatTitle,
  createDefaultHead,
  createMissingHead,
  type Head,
  type HeadInput,
} from './head-parts.ts';

const FILTERS = new Set(['tag', 'city', 'cursor', 'q']);

/** Returns the `<head>` data of the blog's pages, which are `/blog`, the list of a city's articles, and an article. */
export function createBlogHead(input: HeadInput, slug: string | undefined): Head {
  const { t, search } = input;
  const top = { name: t('blog'), path: '/blog' };
  const list: Head = {
    ...createDefaultHead(t),
    title: formatTitle(top.name),
    description: t('blogText'),
    canonical: top.path,
    isIndexed: !isFiltered(search, FILTERS),
    page: { kind: 'collection' },
    crumbs: [top],
    hasFeeds: true,
  };
  if (slug === undefined) return list;
  const place = findCityBySlug(slug);
  if (!place) return articleHead(input);
  const path = `${top.path}/${slugify(place.city)}`;
  return {
    ...list,
    title: formatTitle(t('blogIn', { place: place.city })),
    canonical: path,
    crumbs: [top, { name: place.city, path }],
  };
}

function articleHead({ t, article }: HeadInput): Head {
  const base = { ...createDefaultHead(t), hasFeeds: true };
  // The article could not be read, but it may exist. Search engines may therefore index the page.
  if (article === undefined)
    return { ...base, title: formatTitle(t('blog')), description: t('blogText'), isIndexed: true };
  if (article === null) return { ...createMissingHead(t, 'articleMissing'), hasFeeds: true };
  const { title, summary, city } = article;
  const path = articlePath(article.slug);
  const cityCrumbs = city === null ? [] : [{ name: city, path: `/blog/${slugify(city)}` }];
  return {
    ...base,
    title: formatTitle(title),
    description: summary,
    canonical: path,
    isIndexed: true,
    page: { kind: 'article', article },
    crumbs: [{ name: t('blog'), path: '/blog' }, ...cityCrumbs, { name: title, path }],
  };
}
