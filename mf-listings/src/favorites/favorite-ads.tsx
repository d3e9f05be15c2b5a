import { useState, useSyncExternalStore } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { AdCard as Ad, UserView } from '@alpenglow/domain/contracts';
import { Button, EmptyState, QueryError, useApi, useHost, useLive, usePacer } from '@alpenglow/ui';
import { AdGridSkeleton } from '../ads/ad-grid.tsx';
import { useLiveNotice } from '../ads/live-notice.ts';
import { topicsOfAds } from '../ads/live-topics.ts';
import { useLiveEvents } from '../ads/use-live-events.ts';
import { useText } from './text.ts';
import { FavoriteGrid, type FavoriteEntry } from './favorite-grid.tsx';
import { getGuestCards } from './card-stores.ts';
import { getFavorites } from './stores.ts';
import { favoritesKey } from './favorites-key.ts';
import { favoritesQuery } from './sync.ts';
import { useFavorites } from './use-favorites.ts';
import styles from './favorite-grid.module.css';

/** The number of ads that are shown at first. Each click on the button shows this number of further ads. */
const STEP = 24;
const NO_CARDS = {};

export interface FavoriteAdsProps {
  /** Maximum number of shown ads. If set, a link opens the page with all favorites. */
  readonly few?: number | undefined;
}

/**
 * The visitor's favorite ads as cards. The favorites of a client are stored on the server, and the favorites of a guest
 * in this browser.
 */
export function FavoriteAds({ few }: FavoriteAdsProps) {
  const { session } = useHost();
  if (session.state === 'unknown') return <AdGridSkeleton count={few ?? 4} />;
  return session.state === 'authenticated' ? (
    <ClientFavorites user={session.user} few={few} />
  ) : (
    <GuestFavorites few={few} />
  );
}

function ClientFavorites({ user, few }: FavoriteAdsProps & { readonly user: UserView }) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const favoriteIds = useSyncExternalStore(getFavorites(user.email).subscribe, getFavorites(user.email).all);
  const favorites = useQuery(favoritesQuery(api, user, notify));
  const refetch = usePacer<string>(() => void queryClient.invalidateQueries({ queryKey: favoritesKey(user.id) }));
  useLive(
    ({ type, adId, seq }) => {
      if (type === 'ad_bumped' || !favoriteIds.includes(adId)) return;
      api.positions.recordLive(seq);
      refetch(seq);
    },
    { topics: topicsOfAds(favoriteIds), queryKey: favoritesKey(user.id) },
  );

  if (favorites.data)
    return <FavoriteEntries entries={favorites.data.data.map((card) => ({ id: card.id, card }))} few={few} />;
  if (favorites.isError) return <QueryError query={favorites} text={t('api.favoritesFailed')} />;
  return <AdGridSkeleton count={Math.min(few ?? STEP, Math.max(1, favoriteIds.length))} />;
}

function GuestFavorites({ few }: FavoriteAdsProps) {
  const { ids } = useFavorites();
  const store = getGuestCards();
  const cards: Readonly<Record<string, Ad | null>> = useSyncExternalStore(store.subscribe, store.all, () => NO_CARDS);
  // The ids of the shown ad cards. A removed favorite stays at its position, so that the visitor can undo the removal.
  // Favorites that the visitor adds in another tab are inserted at the start.
  const [shownIds, setShownIds] = useState(ids);
  const added = ids.filter((id) => !shownIds.includes(id));
  if (added.length > 0) setShownIds([...added, ...shownIds]);
  useLive(
    ({ type, adId }) => {
      if (type === 'ad_deleted' && ids.includes(adId)) store.markDeleted(adId);
    },
    { topics: topicsOfAds(ids) },
  );
  return <FavoriteEntries entries={shownIds.map((id) => ({ id, card: cards[id] }))} few={few} />;
}

function FavoriteEntries({ entries, few }: FavoriteAdsProps & { readonly entries: readonly FavoriteEntry[] }) {
  const t = useText();
  const { ids } = useFavorites();
  const [count, setCount] = useState(few ?? STEP);
  if (entries.length === 0) return <NoFavorites />;
  return (
    <>
      <div className={styles['head']}>
        {few === undefined && (
          <h2>{t('favoritesCount', { count: entries.filter(({ id }) => ids.includes(id)).length })}</h2>
        )}
        <LiveUpdates adIds={ids} />
      </div>
      <FavoriteGrid entries={entries.slice(0, count)} />
      {few !== undefined && entries.length > few && (
        <Link to="/favorites">{t('favoritesAll', { count: entries.length })}</Link>
      )}
      {few === undefined && entries.length > count && (
        <Button onClick={() => setCount(count + STEP)}>{t('favoritesMore')}</Button>
      )}
    </>
  );
}

/**
 * The notice about live events of the favorites. It has its own row, so that it covers no card. `topics` is
 * empty, because the components that load the ads already subscribe to these events.
 */
function LiveUpdates({ adIds }: { readonly adIds: readonly string[] }) {
  const { kinds, count } = useLiveEvents('favorites');
  const notice = useLiveNotice({ waiting: 0, events: kinds });
  useLive(
    (message) => {
      if (adIds.includes(message.adId)) count(message);
    },
    { topics: [] },
  );
  return <p role="status">{notice.count > 0 && notice.text}</p>;
}

function NoFavorites() {
  const t = useText();
  return (
    <EmptyState title={t('favoritesEmptyTitle')} link={{ to: '/listings', text: t('common.browse') }}>
      <p>{t('favoritesEmptyText')}</p>
    </EmptyState>
  );
}
