/** What may be asked of the favorites of an account. */

export interface AddFavorite {
  readonly accountId: string;
  /** Providers keep no favorites (specification, section 6). */
  readonly isProvider: boolean;
  /** Of an ad that is known to be there. */
  readonly adId: string;
}

export interface RemoveFavorite {
  readonly accountId: string;
  readonly adId: string;
}
