import { useText } from '../text.ts';
import styles from './feed-links.module.css';

/** Links to the feeds of the blog. */
export function FeedLinks() {
  const t = useText();
  return (
    <p className={styles['feeds']}>
      {t('blog.feeds')}{' '}
      <a href="/blog/rss.xml" type="application/rss+xml">
        {t('blog.rss')}
      </a>{' '}
      <a href="/blog/atom.xml" type="application/atom+xml">
        {t('blog.atom')}
      </a>
    </p>
  );
}
