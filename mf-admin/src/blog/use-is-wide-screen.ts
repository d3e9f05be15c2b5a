import { useSyncExternalStore } from 'react';

/** Media query for screens that have room for a text and its preview side by side. */
const WIDE = '(min-width: 80rem)';

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

export const useIsWideScreen = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(WIDE).matches);
