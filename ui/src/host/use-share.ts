import { useHost } from './host-context.tsx';

export interface ShareTexts {
  readonly copied: string;
  /** Returns the message that contains the URL. It is shown if the URL could not be copied. */
  readonly toCopy: (address: string) => string;
}

/** Returns a function that shares a URL in the device's share dialog. Without such a dialog, it copies the URL. */
export function useShare({ copied, toCopy }: ShareTexts): (path: string, title: string) => Promise<void> {
  const { notify } = useHost();
  const copy = async (address: string) => {
    try {
      await navigator.clipboard.writeText(address);
      notify({ text: copied, tone: 'success' });
    } catch {
      notify({ text: toCopy(address) });
    }
  };
  return async (path, title) => {
    const address = new URL(path, location.origin).href;
    // The types declare `navigator.share`, but many desktop browsers do not have it. The URL is copied instead.
    if (typeof navigator.share !== 'function') return copy(address);
    try {
      await navigator.share({ title, url: address });
    } catch (error) {
      // `AbortError` means that the visitor closed the dialog. After any other error, the URL is copied.
      if (!(error instanceof DOMException && error.name === 'AbortError')) await copy(address);
    }
  };
}
