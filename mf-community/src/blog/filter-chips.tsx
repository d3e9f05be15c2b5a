import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { articlePath, slugOf } from '@alpenglow/domain/contracts';
import { CloseIcon, PinIcon, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ALL_ARTICLES, articleListQuery, articlesOf, citiesOf, type ArticleFilter } from './articles.ts';
import { useTagName } from './tag-name.ts';
import styles from './filter-chips.module.css';

/** The tags and the cities there are articles about; the chosen ones can be taken away. */
export function FilterChips({ filter }: { readonly filter: ArticleFilter }) {
  const t = useText();
  const tagName = useTagName();
  const api = useApi();
  const all = useInfiniteQuery(articleListQuery(api, ALL_ARTICLES));
  const tags = all.data?.pages[0]?.tags ?? [];
  const cities = citiesOf(articlesOf(all.data?.pages ?? []));
  if (tags.length === 0 && filter.tag === null && filter.city === null) return null;
  const unlisted =
    filter.tag !== null && !tags.some(({ tag }) => tag === filter.tag) ? [{ tag: filter.tag, count: 0 }] : [];
  return (
    <nav aria-label={t('blog.topics')} className={styles['filters']}>
      <ul role="list">
        {[...unlisted, ...tags].map(({ tag, count }) => {
          const isChosen = tag === filter.tag;
          return (
            <li key={tag}>
              <Link
                to={blogPath({ ...filter, tag: isChosen ? null : tag })}
                preventScrollReset
                className={styles['chip']}
                aria-current={isChosen || undefined}
                aria-label={isChosen ? t('blog.without', { what: tagName(tag) }) : undefined}
              >
                {tagName(tag)} {isChosen ? <CloseIcon size={0.9} /> : <span className={styles['count']}>{count}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
      <ul role="list">
        {filter.city !== null && (
          <li>
            <Link
              to={blogPath({ ...filter, city: null })}
              preventScrollReset
              className={styles['chip']}
              aria-current="true"
              aria-label={t('blog.without', { what: filter.city })}
            >
              <PinIcon size={0.95} /> {filter.city} <CloseIcon size={0.9} />
            </Link>
          </li>
        )}
        {filter.city === null &&
          cities.map((city) => (
            <li key={city}>
              <Link to={articlePath(slugOf(city))} className={styles['chip']}>
                <PinIcon size={0.95} /> {city}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}

/** The address of a list of articles. */
export function blogPath({ city, tag }: ArticleFilter): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ tag, city })) if (value !== null) search.set(name, value);
  return `/blog${search.size === 0 ? '' : `?${search.toString()}`}`;
}
