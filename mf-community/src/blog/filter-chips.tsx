import { useInfiniteQuery } from '@tanstack/react-query';
import { articlePath, slugify } from '@alpenglow/domain/contracts';
import { ChipLink, Chips, CloseIcon, layout, PinIcon, queryOf, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ALL_ARTICLES, articleListQuery, getArticles, getCities, type ArticleFilter } from './articles.ts';
import { useTagName } from './tag-name.ts';
import styles from './filter-chips.module.css';

/** Links that filter articles by tag or city. A selected filter has a link that removes it. */
export function FilterChips({ filter }: { readonly filter: ArticleFilter }) {
  const t = useText();
  const tagName = useTagName();
  const all = useInfiniteQuery(articleListQuery(useApi(), ALL_ARTICLES));
  const tags = all.data?.pages[0]?.tags ?? [];
  const cities = getCities(getArticles(all.data?.pages ?? []));
  if (tags.length === 0 && filter.tag === null && filter.city === null) return null;
  const unlisted =
    filter.tag !== null && !tags.some(({ tag }) => tag === filter.tag) ? [{ tag: filter.tag, count: 0 }] : [];
  return (
    <nav aria-label={t('blog.topics')} className={styles['filters']}>
      <Chips>
        {[...unlisted, ...tags].map(({ tag, count }) => {
          const isChosen = tag === filter.tag;
          return (
            <ChipLink
              key={tag}
              to={getBlogPath({ ...filter, tag: isChosen ? null : tag })}
              preventScrollReset
              aria-current={isChosen || undefined}
              aria-label={isChosen ? t('blog.without', { what: tagName(tag) }) : undefined}
            >
              {tagName(tag)} {isChosen ? <CloseIcon size={0.9} /> : <span className={layout['count']}>{count}</span>}
            </ChipLink>
          );
        })}
      </Chips>
      <Chips>
        {filter.city !== null && (
          <ChipLink
            to={getBlogPath({ ...filter, city: null })}
            preventScrollReset
            aria-current="true"
            aria-label={t('blog.without', { what: filter.city })}
          >
            <PinIcon size={0.95} /> {filter.city} <CloseIcon size={0.9} />
          </ChipLink>
        )}
        {filter.city === null &&
          cities.map((city) => (
            <ChipLink key={city} to={articlePath(slugify(city))}>
              <PinIcon size={0.95} /> {city}
            </ChipLink>
          ))}
      </Chips>
    </nav>
  );
}

/** Returns the path of a list of articles, with its filter in the query. */
export function getBlogPath({ city, tag }: ArticleFilter): string {
  return `/blog${queryOf({ tag, city })}`;
}
