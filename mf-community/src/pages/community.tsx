import { Link, useSearchParams } from 'react-router-dom';
import {
  Breadcrumbs,
  EmptyState,
  layout,
  lazyPage,
  LinkButton,
  Page,
  PageHeading,
  useHost,
  useUser,
} from '@alpenglow/ui';
import { toThreadFilter, parseSort } from '../lists/sort.ts';
import { SortTabs } from '../lists/sort-tabs.tsx';
import { ThreadList, ThreadListSkeleton } from '../lists/thread-list.tsx';
import { PlaceList } from '../place-tree/place-list.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { SearchResults } from '../search/search-results.tsx';
import { useText } from '../text.ts';
import { NewThreadPage } from './new-thread.tsx';
import styles from './pages.module.css';

const Following = lazyPage(() => import('../own/following.tsx'), <ThreadListSkeleton />);
const HiddenPosts = lazyPage(() => import('../moderation/hidden-posts.tsx'), <ThreadListSkeleton />);

/**
 * The page `/community`. It shows all threads, search results or the threads that a member follows. For moderators, it
 * can also show the hidden posts.
 */
export function CommunityPage() {
  const t = useText();
  const [search] = useSearchParams();
  if (search.has('new')) return <NewThreadPage place={null} />;
  const q = search.get('q')?.trim() ?? '';
  const title = t('community');
  return (
    <Page>
      <Breadcrumbs fromHome items={[{ label: title }]} />
      <header className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <p>{t('communityLead')}</p>
      </header>
      <div className={styles['tools']}>
        <SearchBox />
        <LinkButton to="/community?new=1" variant="primary">
          {t('community.startThread')}
        </LinkButton>
      </div>
      <div className={styles['columns']}>
        <div className={layout['shrink']}>{q === '' ? <Threads /> : <SearchResults q={q} />}</div>
        <aside className={styles['aside']} aria-labelledby="places">
          <h2 id="places">{t('locations')}</h2>
          <PlaceList />
          <p>
            <Link to="/community/locations">{t('allPlaces')}</Link>
          </p>
        </aside>
      </div>
    </Page>
  );
}

function Threads() {
  const t = useText();
  const { session } = useHost();
  const user = useUser();
  const [search] = useSearchParams();
  const show = search.get('show');
  const isOwn = show === 'following' || (show === 'hidden' && user?.isModerator === true);
  const sort = parseSort(search);
  return (
    <>
      <SortTabs sort={isOwn ? null : sort} withOwn />
      {show === 'following' && session.state === 'anonymous' && (
        <EmptyState
          title={t('community.loginToFollow')}
          actions={
            <LinkButton to="/login" state={{ from: '/community?show=following' }} variant="primary">
              {t('common.login')}
            </LinkButton>
          }
        />
      )}
      {show === 'following' && session.state === 'unknown' && <ThreadListSkeleton />}
      {show === 'following' && user && <Following />}
      {show === 'hidden' && isOwn && <HiddenPosts />}
      {!isOwn && (
        <ThreadList
          filter={toThreadFilter(null, sort)}
          label={t(`community.sort.${sort}`)}
          empty={
            <EmptyState
              title={t('community.emptyTitle')}
              actions={<LinkButton to="/community?new=1">{t('community.startThread')}</LinkButton>}
            >
              <p>{t('community.emptyText')}</p>
            </EmptyState>
          }
        />
      )}
    </>
  );
}
