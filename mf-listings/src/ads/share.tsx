import { removeContactMarks, type AdCard } from '@alpenglow/domain/contracts';
import { Button, ShareIcon, useShare } from '@alpenglow/ui';
import { useText } from './text.ts';
import { getShareUrl } from './share-url.ts';

/** A button that shares the URL of an ad in the device's share dialog. Without such a dialog, it copies the URL. */
export function ShareButton({ ad }: { readonly ad: Pick<AdCard, 'id' | 'state' | 'city' | 'slug' | 'title'> }) {
  const t = useText();
  const share = useShare({ copied: t('linkCopied'), toCopy: (address) => t('linkToCopy', { address }) });
  return (
    <Button
      variant="quiet"
      size="small"
      onClick={() => void share(getShareUrl(ad, location.origin), removeContactMarks(ad.title))}
    >
      <ShareIcon />
      {t('share')}
    </Button>
  );
}
