/** Commands that change the favorite ads of an account. */

export interface AddFavorite {
  readonly accountId: string;
  /** True for a provider. Providers have no favorites, so the command is rejected. */
  readonly isProvider: boolean;
  /** The id of an existing ad. */
  readonly adId: string;
}

export interface RemoveFavorite {
  readonly accountId: string;
  readonly adId: string;
}

export interface RemoveAllFavorites {
  readonly accountId: string;
}
