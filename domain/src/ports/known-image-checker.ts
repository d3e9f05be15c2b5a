import type { HashWords } from '../media/picture-hash.ts';

/**
 * The result of the check of a photo or video. `illegal`: it is known to be illegal, so it is preserved for the
 * authorities and rejected (T-6). `taken_down`: it is rejected, because a photo or video of which it is a copy was
 * taken down.
 */
export type PictureVerdict = 'allowed' | 'illegal' | 'taken_down';

/** Compares photos and videos with the lists of pictures that must not be published. */
export interface KnownImageChecker {
  /**
   * Checks a photo or video. `searched` are its hashes with which copies are searched for (`toSearchHashes`), none for
   * a video. `digests` are its exact digests. If a list requires that a moderator sees its matches first, opens the
   * case that hides the file, waits until no other account can see it, and returns `allowed`. Rejects if the check is
   * not possible. The file is then published only after a repeated check succeeds.
   */
  check(file: {
    readonly mediaId: string;
    readonly searched: readonly HashWords[];
    readonly digests: readonly string[];
  }): Promise<PictureVerdict>;
}
