import { useEffect, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { AdCard as Ad } from '@alpenglow/domain/contracts';
import { adQuery, Button, classNames, HeartIcon, isApiError, LinkButton, useApi } from '@alpenglow/ui';
import { AdCard } from '../ads/ad-card.tsx';
import { useText } from './text.ts';
import { useFavorites } from './use-favorites.ts';
import { useStoredCard } from './use-stored-card.ts';
import grid from '../ads/ad-grid.module.css';
import styles from './favorite-grid.module.css';

export interface FavoriteEntry {
  readonly id: string;
  /**
   * The ad card of the favorite. It is null if the ad no longer exists, and undefined if this browser has not stored
   * the card.
   */
  readonly card: Ad | null | undefined;
}

export function FavoriteGrid({ entries }: { readonly entries: readonly FavoriteEntry[] }) {
  const t = useText();
  const { ids, toggle } = useFavorites();
  return (
    <ul role="list" aria-label={t('favorites')} className={classNames(grid['grid'], styles['grid'])}>
      {entries.map(({ id, card }) => (
        <li key={id}>
          {!ids.includes(id) && <RemovedFavorite name={card?.name ?? null} onUndo={() => toggle(id)} />}
          {ids.includes(id) && card && <AdCard ad={card} />}
          {ids.includes(id) && card === null && <GoneFavorite onRemove={() => toggle(id)} />}
          {ids.includes(id) && card === undefined && <FavoriteWithoutCard adId={id} />}
        </li>
      ))}
    </ul>
  );
}

/** Replaces the card of a removed favorite until the visitor leaves the page. The button undoes the removal. */
function RemovedFavorite({ name, onUndo }: { readonly name: string | null; readonly onUndo: () => void }) {
  const t = useText();
  const undo = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The favorite button that the visitor pressed no longer exists, so the focus moves to the undo button.
    if (document.activeElement === document.body) undo.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={styles['tile']}>
      <p role="status">{name === null ? t('favoriteRemoved') : t('favoriteRemovedName', { name })}</p>
      <Button ref={undo} size="small" onClick={onUndo}>
        {t('undo')}
      </Button>
    </div>
  );
}

function GoneFavorite({ onRemove }: { readonly onRemove: () => void }) {
  const t = useText();
  return (
    <div className={styles['tile']}>
      <HeartIcon filled />
      <p>{t('favoriteGone')}</p>
      <Button size="small" onClick={onRemove}>
        {t('favoriteRemove')}
      </Button>
    </div>
  );
}

/**
 * Takes the place of a guest's favorite without a stored card, for example because the visitor left the list before it
 * was stored. Requests the ad and stores its card, which then replaces this component. If this fails, shows a link to
 * the ad.
 */
function FavoriteWithoutCard({ adId }: { readonly adId: string }) {
  const t = useText();
  const ad = useQuery(adQuery(useApi(), adId, null));
  useStoredCard(adId, ad.data, isApiError(ad.error) && ad.error.status === 404);
  return (
    <div className={styles['tile']} aria-busy={ad.isFetching}>
      <HeartIcon filled />
      {!ad.isFetching && !ad.data && <p>{t('favoriteUnseen')}</p>}
      <LinkButton size="small" to={`/ad/${encodeURIComponent(adId)}`}>
        {t('viewAd')}
      </LinkButton>
    </div>
  );
}
