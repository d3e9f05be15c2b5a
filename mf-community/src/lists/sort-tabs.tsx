import { Link, useSearchParams } from 'react-router-dom';
import { THREAD_SORTS, type ThreadSort } from '@alpenglow/domain/contracts';
import { useUser } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './sort-tabs.module.css';

export interface SortTabsProps {
  /** The current sort order. Null if the page shows something other than a sorted list, such as hidden posts. */
  readonly sort: ThreadSort | null;
  /** True if there are also links to the threads that a member follows and, for moderators, to the hidden posts. */
  readonly withOwn?: boolean;
}

/** Links that change the sort order of a list of threads. Each sort order has its own URL. */
export function SortTabs({ sort, withOwn = false }: SortTabsProps) {
  const t = useText();
  const user = useUser();
  const [search] = useSearchParams();
  const shown = search.get('show');
  const tabs = [
    ...THREAD_SORTS.map((order) => ({
      to: order === 'latest' ? '?' : `?sort=${order}`,
      isCurrent: sort === order,
      label: t(`community.sort.${order}`),
    })),
    ...(withOwn && user
      ? [{ to: '?show=following', isCurrent: shown === 'following', label: t('community.following') }]
      : []),
    ...(withOwn && user?.isModerator
      ? [{ to: '?show=hidden', isCurrent: shown === 'hidden', label: t('community.hiddenPosts') }]
      : []),
  ];
  return (
    <nav aria-label={t('community.order')} className={styles['tabs']}>
      {tabs.map(({ to, isCurrent, label }) => (
        <Link key={to} to={to} aria-current={isCurrent ? 'page' : undefined} preventScrollReset>
          {label}
        </Link>
      ))}
    </nav>
  );
}
