import { Link, useSearchParams } from 'react-router-dom';
import { useUser } from '@alpenglow/ui';
import { THREAD_SORTS, type ThreadSort } from '../api/calls.ts';
import { useText } from '../text.ts';
import styles from './sort-tabs.module.css';

export interface SortTabsProps {
  /** Null where none of the orders is shown. */
  readonly sort: ThreadSort | null;
  /** The threads of everywhere: members find those they follow beside them, moderators what is hidden. */
  readonly withOwn?: boolean;
}

/** The orders of a list, as links: each has an address. */
export function SortTabs({ sort, withOwn = false }: SortTabsProps) {
  const t = useText();
  const user = useUser();
  const [search] = useSearchParams();
  const shown = search.get('show');
  return (
    <nav aria-label={t('community.order')} className={styles['tabs']}>
      {THREAD_SORTS.map((one) => (
        <Link
          key={one}
          to={one === 'latest' ? '?' : `?sort=${one}`}
          aria-current={sort === one ? 'page' : undefined}
          preventScrollReset
        >
          {t(`community.sort.${one}`)}
        </Link>
      ))}
      {withOwn && user && (
        <Link to="?show=following" aria-current={shown === 'following' ? 'page' : undefined} preventScrollReset>
          {t('community.following')}
        </Link>
      )}
      {withOwn && user?.isModerator && (
        <Link to="?show=hidden" aria-current={shown === 'hidden' ? 'page' : undefined} preventScrollReset>
          {t('community.hiddenPosts')}
        </Link>
      )}
    </nav>
  );
}
