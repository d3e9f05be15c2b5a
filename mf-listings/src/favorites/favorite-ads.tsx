import { useState, useSyncExternalStore } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { AdCard as Ad, UserView } from '@alpenglow/domain/contracts';
import { Button, EmptyState, ErrorBox, LinkButton, messageOf, useApi, useHost, useLive } from '@alpenglow/ui';
import { AdGridSkeleton } from '../ads/ad-grid.tsx';
import { useText } from '../text.ts';
import { FavoriteGrid, type FavoriteEntry } from './favorite-grid.tsx';
import { favoritesOf, guestCards } from './stores.ts';
import { favoritesKey, favoritesQuery } from './sync.ts';
import { useFavorites } from './use-favorites.ts';
import styles from './favorite-grid.module.css';

/** How many are shown at once, and how many more each time. */
const STEP = 24;

export interface FavoriteAdsProps {
  /** Shows no more than the first few, with a link to all. */
  readonly few?: number | undefined;
}

/** The visitor's favorites as cards: a client's from the server, a guest's as this browser last saw them. */
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
  const kept = useSyncExternalStore(favoritesOf(user.email).subscribe, favoritesOf(user.email).all);
  const favorites = useQuery(
    favoritesQuery(api, user, (error) =>
      notify({ text: messageOf(error, t('api.addFavoriteFailed')), tone: 'danger' }),
    ),
  );
  useLive(({ type, adId, seq }) => {
    if (type === 'ad_bumped' || !kept.includes(adId)) return;
    api.positions.seen(seq);
    void queryClient.invalidateQueries({ queryKey: favoritesKey(user.id) });
  });

  if (favorites.data) return <Shown entries={favorites.data.data.map((card) => ({ id: card.id, card }))} few={few} />;
  if (favorites.isError)
    return (
      <ErrorBox
        message={messageOf(favorites.error, t('api.favoritesFailed'))}
        onRetry={() => void favorites.refetch()}
      />
    );
  return <AdGridSkeleton count={Math.min(few ?? STEP, Math.max(1, kept.length))} />;
}

function GuestFavorites({ few }: FavoriteAdsProps) {
  const { ids } = useFavorites();
  const store = guestCards();
  const cards: Readonly<Record<string, Ad | null>> = useSyncExternalStore(store.subscribe, store.all);
  // What is taken off stays in its place while the page stands, so that it can be put back; what another tab adds comes first.
  const [seen, setSeen] = useState(ids);
  const added = ids.filter((id) => !seen.includes(id));
  if (added.length > 0) setSeen([...added, ...seen]);
  useLive(({ type, adId }) => {
    if (type === 'ad_deleted' && ids.includes(adId)) store.markGone(adId);
  });
  return <Shown entries={seen.map((id) => ({ id, card: cards[id] }))} few={few} />;
}

function Shown({ entries, few }: FavoriteAdsProps & { readonly entries: readonly FavoriteEntry[] }) {
  const t = useText();
  const { ids } = useFavorites();
  const [count, setCount] = useState(few ?? STEP);
  if (entries.length === 0) return <NoFavorites />;
  return (
    <>
      {few === undefined && (
        <h2 className={styles['count']}>
          {t('favoritesCount', { count: entries.filter(({ id }) => ids.includes(id)).length })}
        </h2>
      )}
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

function NoFavorites() {
  const t = useText();
  return (
    <EmptyState
      title={t('favoritesEmptyTitle')}
      actions={
        <LinkButton to="/listings" variant="primary">
          {t('common.browse')}
        </LinkButton>
      }
    >
      <p>{t('favoritesEmptyText')}</p>
    </EmptyState>
  );
}
