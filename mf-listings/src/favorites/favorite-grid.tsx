import { useEffect, useRef } from 'react';
import type { AdCard as Ad } from '@alpenglow/domain/contracts';
import { Button, classNames, HeartIcon, LinkButton } from '@alpenglow/ui';
import { AdCard } from '../ads/ad-card.tsx';
import { useText } from '../text.ts';
import { useFavorites } from './use-favorites.ts';
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
          {ids.includes(id) && !card && <WithoutCard adId={id} isGone={card === null} onRemove={() => toggle(id)} />}
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

function WithoutCard(props: { readonly adId: string; readonly isGone: boolean; readonly onRemove: () => void }) {
  const { adId, isGone, onRemove } = props;
  const t = useText();
  return (
    <div className={styles['tile']}>
      <HeartIcon filled />
      <p>{isGone ? t('favoriteGone') : t('favoriteUnseen')}</p>
      {isGone ? (
        <Button size="small" onClick={onRemove}>
          {t('favoriteRemove')}
        </Button>
      ) : (
        <LinkButton size="small" to={`/ad/${encodeURIComponent(adId)}`}>
          {t('viewAd')}
        </LinkButton>
      )}
    </div>
  );
}
