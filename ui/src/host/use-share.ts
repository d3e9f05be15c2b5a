import { useHost } from './host-context.tsx';

export interface ShareTexts {
  readonly copied: string;
  /**
   * Returns the message to show if the URL could not be copied. The message contains the URL, so that the visitor can
   * copy it.
   */
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
    // Many desktop browsers do not have `navigator.share`, although its type declares it. These browsers copy the URL
    // instead.
    if (typeof navigator.share !== 'function') return copy(address);
    try {
      await navigator.share({ title, url: address });
    } catch (error) {
      // `AbortError` means that the visitor closed the dialog. After any other error, the URL is copied.
      if (!(error instanceof DOMException && error.name === 'AbortError')) await copy(address);
    }
  };
}
