import type { AdCard } from '@alpenglow/domain/contracts';
import { Button, ShareIcon, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { shareAddress } from './share-address.ts';

/** Hands the ad's address on: through the device's own sheet where there is one, else into the clipboard. */
export function ShareButton({ ad }: { readonly ad: Pick<AdCard, 'id' | 'state' | 'city' | 'title'> }) {
  const t = useText();
  const { notify } = useHost();

  const copy = async (address: string) => {
    try {
      await navigator.clipboard.writeText(address);
      notify({ text: t('linkCopied'), tone: 'success' });
    } catch {
      notify({ text: t('linkToCopy', { address }) });
    }
  };
  const share = async () => {
    const address = shareAddress(ad, location.origin);
    // Absent on many desktops, whatever the types say.
    if (typeof navigator.share !== 'function') return copy(address);
    try {
      await navigator.share({ title: ad.title, url: address });
    } catch (error) {
      // The visitor closed the sheet; anything else is no reason to leave them without the link.
      if (!(error instanceof DOMException && error.name === 'AbortError')) await copy(address);
    }
  };

  return (
    <Button variant="quiet" size="small" onClick={() => void share()}>
      <ShareIcon />
      {t('share')}
    </Button>
  );
}
