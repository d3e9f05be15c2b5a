import { useEffect, useEffectEvent } from 'react';

const TAKES_TEXT = 'input, textarea, select, [contenteditable]';

/**
 * Calls `onFiles` with files that the visitor pastes anywhere on the page. If the visitor pastes text into a field,
 * files in the clipboard are ignored.
 */
export function usePastedFiles(onFiles: (files: readonly File[]) => void): void {
  const onPasted = useEffectEvent(onFiles);
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const { clipboardData, target } = event;
      const files = [...(clipboardData?.files ?? [])];
      if (files.length === 0) return;
      const isText =
        clipboardData?.types.includes('text/plain') === true &&
        target instanceof Element &&
        target.closest(TAKES_TEXT) !== null;
      if (isText) return;
      event.preventDefault();
      onPasted(files);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);
}
