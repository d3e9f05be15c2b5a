import { useSyncExternalStore } from 'react';

/** Wide enough for a text and its preview side by side. */
const WIDE = '(width >= 80rem)';

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(WIDE).matches);
