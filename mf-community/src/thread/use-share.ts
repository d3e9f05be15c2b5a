import { useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';

/** Hands an address on: through the device's own sheet where there is one, else into the clipboard. */
export function useShare(): (path: string, title: string) => Promise<void> {
  const t = useText();
  const { notify } = useHost();
  const copy = async (address: string) => {
    try {
      await navigator.clipboard.writeText(address);
      notify({ text: t('community.linkCopied'), tone: 'success' });
    } catch {
      notify({ text: t('community.linkToCopy', { address }) });
    }
  };
  return async (path, title) => {
    const address = new URL(path, location.origin).href;
    // Absent on many desktops, whatever the types say.
    if (typeof navigator.share !== 'function') return copy(address);
    try {
      await navigator.share({ title, url: address });
    } catch (error) {
      // The visitor closed the sheet; anything else is no reason to leave them without the link.
      if (!(error instanceof DOMException && error.name === 'AbortError')) await copy(address);
    }
  };
}
