import { useEffect, useEffectEvent } from 'react';

const TAKES_TEXT = 'input, textarea, select, [contenteditable]';

/** Calls back with files pasted anywhere in the page. Text that is pasted into a field stays text, whatever pictures came along with it. */
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
