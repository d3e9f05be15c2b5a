/**
 * Says whether a picture is one that is known to be illegal (design, trust and privacy). What knows is the operator's to plug in: a list in a file, or a service.
 */
export interface KnownImages {
  /**
   * Whether a picture that looks like this is known: `hash` is its difference hash, 64 bits in 16 hexadecimal digits (`PhotoVariantsMade`). That of a picture of one
   * colour, all zeros, never is. Rejects when nobody can say: the picture is not published, and asked about again.
   */
  isKnown(hash: string): Promise<boolean>;
}
