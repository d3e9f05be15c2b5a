import { Link } from 'react-router-dom';
import { articlePath, type ArticleCard as Article } from '@alpenglow/domain/contracts';
import { classNames, PinIcon } from '@alpenglow/ui';
import { Cover } from './cover.tsx';
import { Dated } from './dated.tsx';
import { useTagName } from './tag-name.ts';
import styles from './article-card.module.css';

export interface ArticleCardProps {
  readonly article: Article;
  /** The first of a page: larger, its picture beside it. */
  readonly isLead?: boolean;
  /** Its picture is among the first that are seen. */
  readonly priority?: boolean;
  /** As deep as the list stands on its page. */
  readonly heading?: 'h2' | 'h3';
}

const LEAD_SIZES = '(width < 60rem) 92vw, 44rem';
const SIZES = '(width < 40rem) 7rem, (width < 60rem) 45vw, 24rem';

/** An article in a list; the whole card is one link. */
export function ArticleCard({ article, isLead = false, priority = false, heading: Heading = 'h2' }: ArticleCardProps) {
  const tagName = useTagName();
  const { slug, title, summary, city, tags } = article;
  return (
    <article className={classNames(styles['card'], isLead && styles['lead'])}>
      <Cover article={article} sizes={isLead ? LEAD_SIZES : SIZES} priority={priority} className={styles['cover']} />
      <div className={styles['text']}>
        <p className={styles['meta']}>
          <Dated article={article} />
        </p>
        <Heading className={styles['title']}>
          <Link to={articlePath(slug)} className={styles['link']}>
            {title}
          </Link>
        </Heading>
        <p className={styles['summary']}>{summary}</p>
        {(city !== null || tags.length > 0) && (
          <p className={styles['about']}>
            {city !== null && (
              <span>
                <PinIcon size={0.95} /> {city}
              </span>
            )}
            {tags.map((tag) => (
              <span key={tag}>{tagName(tag)}</span>
            ))}
          </p>
        )}
      </div>
    </article>
  );
}
