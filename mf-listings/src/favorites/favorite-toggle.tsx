import { Button, HeartIcon } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { useFavorites } from './use-favorites.ts';

/** The heart of an ad's page, in words. */
export function FavoriteToggle({ adId, name }: { readonly adId: string; readonly name: string }) {
  const t = useText();
  const { ids, toggle } = useFavorites();
  const isKept = ids.includes(adId);
  return (
    <Button
      variant="quiet"
      size="small"
      aria-pressed={isKept}
      title={isKept ? t('unkeep', { name }) : t('keep', { name })}
      onClick={() => toggle(adId)}
    >
      <HeartIcon filled={isKept} />
      {isKept ? t('saved') : t('save')}
    </Button>
  );
}
