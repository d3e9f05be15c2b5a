import { useParams, useSearchParams } from 'react-router-dom';
import { COUNTRIES, findCity, findCityBySlug } from '@alpenglow/domain/contracts';
import { Breadcrumbs, EmptyState, LinkButton, Page, PageHeading } from '@alpenglow/ui';
import { getAdsPath, getPlacePath, type Place } from '../places.ts';
import { SearchBox } from '../search/search-box.tsx';
import { useText } from '../text.ts';
import { ArticleList } from './article-list.tsx';
import { ArticlePage } from './article-page.tsx';
import type { ArticleFilter } from './articles.ts';
import { FeedLinks } from './feed-links.tsx';
import { FilterChips } from './filter-chips.tsx';
import { useTagName } from './tag-name.ts';
import pages from '../pages/pages.module.css';
import styles from './pages.module.css';

/** The page `/blog`, optionally filtered by `?tag=` and `?city=`. */
export function BlogPage() {
  const t = useText();
  const tagName = useTagName();
  const [search] = useSearchParams();
  const filter = filterOf(search);
  const { tag, city } = filter;
  const isAll = tag === null && city === null;
  const filterText = [tag === null ? null : tagName(tag), city].filter((part) => part !== null).join(', ');
  const title = isAll ? t('blog') : t('blogIn', { place: filterText });
  return (
    <Page>
      <Breadcrumbs
        fromHome
        items={[...(isAll ? [{ label: t('blog') }] : [{ label: t('blog'), to: '/blog' }, { label: filterText }])]}
      />
      <header className={pages['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <p>{t('blogLead')}</p>
      </header>
      <div className={styles['search']}>
        <SearchBox />
      </div>
      <FilterChips filter={filter} />
      <ArticleList
        filter={filter}
        empty={
          <EmptyState
            title={t('blog.emptyTitle')}
            actions={
              isAll ? (
                <LinkButton to="/community">{t('community')}</LinkButton>
              ) : (
                <LinkButton to="/blog">{t('blog.all')}</LinkButton>
              )
            }
          >
            <p>{isAll ? t('blog.emptyText') : t('blog.emptyFiltered')}</p>
          </EmptyState>
        }
      />
      <FeedLinks />
    </Page>
  );
}

/** The page `/blog/{slug}`. It lists the articles of a city if `slug` is a city, and otherwise shows one article. */
export function BlogEntryPage() {
  const { citySlug = '' } = useParams();
  const place = cityOf(citySlug);
  return place === null ? <ArticlePage key={citySlug} slug={citySlug} /> : <CityBlogPage place={place} />;
}

type City = Place & { readonly city: string };

function CityBlogPage({ place }: { readonly place: City }) {
  const t = useText();
  const { city } = place;
  const title = t('blogIn', { place: city });
  return (
    <Page>
      <Breadcrumbs fromHome items={[{ label: t('blog'), to: '/blog' }, { label: city }]} />
      <header className={pages['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <p>{t('blog.cityLead', { place: city })}</p>
        <div className={styles['ways']}>
          <LinkButton to={getAdsPath(place)} size="small">
            {t('adsIn', { place: city })}
          </LinkButton>
          <LinkButton to={getPlacePath(place)} size="small">
            {t('communityIn', { place: city })}
          </LinkButton>
        </div>
      </header>
      <ArticleList
        filter={{ city, tag: null }}
        empty={
          <EmptyState
            title={t('blog.emptyCity', { place: city })}
            actions={<LinkButton to="/blog">{t('blog.all')}</LinkButton>}
          >
            <p>{t('blog.emptyCityText')}</p>
          </EmptyState>
        }
      />
      <FeedLinks />
    </Page>
  );
}

/** Returns the filter in the query of a URL. Unknown cities and invalid tags are ignored. */
function filterOf(search: URLSearchParams): ArticleFilter {
  const tag = search.get('tag')?.trim().toLowerCase() ?? '';
  return { tag: tag === '' || tag.length > 30 ? null : tag, city: findCity(search.get('city') ?? '')?.city ?? null };
}

/**
 * Returns the city with this slug, or null if there is no such city. Cities and articles share the URLs `/blog/{slug}`,
 * so any other slug is that of an article.
 */
function cityOf(slug: string): City | null {
  const match = findCityBySlug(slug);
  const country = match && COUNTRIES.find(({ states }) => states.includes(match.state));
  return country ? { country, state: match.state, city: match.city } : null;
}
