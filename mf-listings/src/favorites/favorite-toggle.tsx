import { Button, HeartIcon } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { useFavorites } from './use-favorites.ts';

/** The favorite button on the page of an ad. Unlike the button on a card, it has a visible label. */
export function FavoriteToggle({ adId, name }: { readonly adId: string; readonly name: string }) {
  const t = useText();
  const { ids, toggle } = useFavorites();
  const isFavorite = ids.includes(adId);
  return (
    <Button
      variant="quiet"
      size="small"
      aria-pressed={isFavorite}
      title={isFavorite ? t('unkeep', { name }) : t('keep', { name })}
      onClick={() => toggle(adId)}
    >
      <HeartIcon filled={isFavorite} />
      {isFavorite ? t('saved') : t('save')}
    </Button>
  );
}
