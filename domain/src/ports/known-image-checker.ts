/**
 * Checks whether an uploaded picture is known to be illegal (T-6). The operator of the site provides the known pictures
 * in a file or through an external service.
 */
export interface KnownImageChecker {
  /**
   * Checks whether a picture with this appearance is known. `hash` is the difference hash of the picture, 64 bits in 16
   * hexadecimal digits (`PhotoVariantsMade`). Pictures in a single color have a hash of zeros, which never matches.
   * Rejects if the check is not possible. The picture is then published only after a repeated check succeeds.
   */
  isKnown(hash: string): Promise<boolean>;
}
