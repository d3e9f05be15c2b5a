/** Finds the owner of an ad. The id of an ad does not identify its event stream. */
export interface AdDirectory {
  /**
   * Returns the account id of the ad's owner, or null if there is no such ad. Deleted ads are only found with
   * `includesDeleted`. Throws UNAVAILABLE if it is not known yet whether there is such an ad.
   */
  ownerOf(adId: string, options?: { readonly includesDeleted?: boolean }): Promise<string | null>;
}
