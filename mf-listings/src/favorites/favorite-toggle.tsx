import { Button, fill, HeartIcon, listingsMessages as text } from '@alpenglow/ui';
import { useFavorites } from './use-favorites.ts';

/** The heart of an ad's page, in words. */
export function FavoriteToggle({ adId, name }: { readonly adId: string; readonly name: string }) {
  const { ids, toggle } = useFavorites();
  const isKept = ids.includes(adId);
  return (
    <Button variant="quiet" size="small" aria-pressed={isKept} aria-label={fill(text.keep, { name })} onClick={() => toggle(adId)}>
      <HeartIcon filled={isKept} />
      {isKept ? text.saved : text.save}
    </Button>
  );
}
