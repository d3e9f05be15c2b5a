/**
 * Checks whether a picture is known to be illegal (T-6). The operator provides the implementation: a list in
 * a file, or a service.
 */
export interface KnownImageChecker {
  /**
   * Checks whether a picture with this appearance is known. `hash` is its difference hash, 64 bits in 16 hexadecimal
   * digits (`PhotoVariantsMade`). Pictures in a single color have a hash of zeros, which never matches. Rejects if the
   * check is not possible. The picture is then not published, and the check is repeated.
   */
  isKnown(hash: string): Promise<boolean>;
}
