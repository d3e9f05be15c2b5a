import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { articlePath, type ArticleCard as Card, type ArticleView } from '@alpenglow/domain/contracts';
import { ArrowLeftIcon, ArrowRightIcon, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ArticleCard } from './article-card.tsx';
import { ALL_ARTICLES, articleListQuery, getArticles, findNeighbors, findRelatedArticles } from './articles.ts';
import styles from './read-on.module.css';

const RELATED = 3;

/**
 * Links at the end of an article to the previous article, the next one and related ones. Shows nothing if the lists of
 * articles cannot be loaded.
 */
export function FurtherReading({ article }: { readonly article: ArticleView }) {
  const t = useText();
  const api = useApi();
  const newest = useInfiniteQuery(articleListQuery(api, ALL_ARTICLES));
  // Articles with the same tag are queried separately, because older ones may not be on the first page of all articles.
  const sameTag = useInfiniteQuery({
    ...articleListQuery(api, { city: null, tag: article.tags[0] ?? null }),
    enabled: article.tags.length > 0,
  });
  const { older, newer } = findNeighbors(article.slug, getArticles(newest.data?.pages ?? []));
  const related = findRelatedArticles(
    article,
    getArticles([...(newest.data?.pages ?? []), ...(sameTag.data?.pages ?? [])]),
    RELATED,
  );
  return (
    <>
      {(older ?? newer) && (
        <nav aria-label={t('blog.otherArticles')} className={styles['neighbours']}>
          {newer && <Neighbour article={newer} label={t('blog.newer')} isNewer />}
          {older && <Neighbour article={older} label={t('blog.older')} />}
        </nav>
      )}
      {related.length > 0 && (
        <section aria-labelledby="related-title" className={styles['related']}>
          <h2 id="related-title">{t('blog.related')}</h2>
          <div>
            {related.map((other) => (
              <ArticleCard key={other.slug} article={other} heading="h3" />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

function Neighbour({
  article: { slug, title, language },
  label,
  isNewer = false,
}: {
  readonly article: Pick<Card, 'slug' | 'title' | 'language'>;
  readonly label: string;
  readonly isNewer?: boolean;
}) {
  return (
    <Link to={articlePath(slug)} className={isNewer ? styles['newer'] : styles['older']}>
      <span>
        {isNewer && <ArrowLeftIcon size={0.9} />} {label} {!isNewer && <ArrowRightIcon size={0.9} />}
      </span>
      <strong lang={language}>{title}</strong>
    </Link>
  );
}
