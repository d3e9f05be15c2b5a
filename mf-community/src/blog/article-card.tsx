import { Link } from 'react-router-dom';
import { articlePath, type ArticleCard as Article } from '@alpenglow/domain/contracts';
import { classNames, layout, PinIcon } from '@alpenglow/ui';
import { Cover } from './cover.tsx';
import { ArticleDate } from './article-date.tsx';
import { useTagName } from './tag-name.ts';
import styles from './article-card.module.css';

export interface ArticleCardProps {
  readonly article: Article;
  /** True for the first article of a page. Its card is larger, and its picture is next to the text. */
  readonly isLead?: boolean;
  /** True if the picture is visible without scrolling, so that it is loaded first. */
  readonly priority?: boolean;
  readonly heading?: 'h2' | 'h3';
}

const LEAD_SIZES = '(max-width: 59.99rem) 92vw, 44rem';
const SIZES = '(max-width: 39.99rem) 7rem, (max-width: 59.99rem) 45vw, 24rem';

/** A card of an article in a list. The whole card is one link. */
export function ArticleCard({ article, isLead = false, priority = false, heading: Heading = 'h2' }: ArticleCardProps) {
  const tagName = useTagName();
  const { slug, title, summary, language, city, tags } = article;
  return (
    <article className={classNames(styles['card'], isLead && styles['lead'])}>
      <Cover article={article} sizes={isLead ? LEAD_SIZES : SIZES} priority={priority} className={styles['cover']} />
      <div className={classNames(layout['stack2'], layout['top'], layout['shrink'])}>
        <p className={styles['meta']}>
          <ArticleDate article={article} />
        </p>
        <Heading className={styles['title']}>
          <Link to={articlePath(slug)} lang={language} className={classNames(layout['cover'], styles['link'])}>
            {title}
          </Link>
        </Heading>
        <p lang={language} className={styles['summary']}>
          {summary}
        </p>
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
