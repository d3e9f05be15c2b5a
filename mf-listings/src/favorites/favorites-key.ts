/** Returns the query key of a client's favorites. */
export const favoritesKey = (userId: string) => ['favorites', userId] as const;
