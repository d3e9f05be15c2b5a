/** Texts of browsing and of a provider's own ad. */
export const listingsMessages = {
  onlyClientsFavorite: 'Only clients can add favorites',
  favoritesFailed: 'Error adding to favorites',
} as const;
