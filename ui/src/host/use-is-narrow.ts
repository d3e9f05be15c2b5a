import { useMediaQuery } from './use-media-query.ts';

/** Returns true on a narrow screen, on which a field has no room for a long placeholder. */
export const useIsNarrow = (): boolean => useMediaQuery('(max-width: 39.99rem)');
