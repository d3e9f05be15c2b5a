import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { articlePath, type ArticleCard as Card, type ArticleView } from '@alpenglow/domain/contracts';
import { ArrowLeftIcon, ArrowRightIcon, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ArticleCard } from './article-card.tsx';
import { ALL_ARTICLES, articleListQuery, articlesOf, neighboursOf, relatedTo } from './articles.ts';
import styles from './read-on.module.css';

const RELATED = 3;

/** What to read after an article: the one published before it and the one after, and those about the same. Without an answer there is nothing. */
export function ReadOn({ article }: { readonly article: ArticleView }) {
  const t = useText();
  const api = useApi();
  const newest = useInfiniteQuery(articleListQuery(api, ALL_ARTICLES));
  // Older articles of the same subject may not be among the newest of all.
  const sameTag = useInfiniteQuery({
    ...articleListQuery(api, { city: null, tag: article.tags[0] ?? null }),
    enabled: article.tags.length > 0,
  });
  const { older, newer } = neighboursOf(article.slug, articlesOf(newest.data?.pages ?? []));
  const related = relatedTo(
    article,
    articlesOf([...(newest.data?.pages ?? []), ...(sameTag.data?.pages ?? [])]),
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
            {related.map((one) => (
              <ArticleCard key={one.slug} article={one} heading="h3" />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

function Neighbour({
  article: { slug, title },
  label,
  isNewer = false,
}: {
  readonly article: Pick<Card, 'slug' | 'title'>;
  readonly label: string;
  readonly isNewer?: boolean;
}) {
  return (
    <Link to={articlePath(slug)} className={isNewer ? styles['newer'] : styles['older']}>
      <span>
        {isNewer && <ArrowLeftIcon size={0.9} />} {label} {!isNewer && <ArrowRightIcon size={0.9} />}
      </span>
      <strong>{title}</strong>
    </Link>
  );
}
