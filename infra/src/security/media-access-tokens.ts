import { createSigner } from './signer.ts';

/** The person for whom an access token was issued: the owner of the photo or video, or a member of staff. */
export type MediaAudience = 'owner' | 'staff';

/** The time after which an access token expires. */
const LIFETIME_ms = 10 * 60_000;
const TOKEN = /^(owner|staff)\.(\d{13})\.([\w-]+)$/u;

/**
 * Creates and checks tokens with which a photo or video can be loaded while it is not public. Every person with the
 * token can load the file, so a token expires after 10 minutes and is valid for only one file (R-4.33).
 *
 * A token consists of its audience, its expiry time (ms since 1970), and a signature of media id, audience and expiry
 * time.
 */
export function createMediaAccessTokens(secrets: string) {
  const signer = createSigner(secrets, 'media');
  return {
    /** Returns an access token for one photo or video, and the expiry time of the token in ISO 8601 format. */
    issue(mediaId: string, audience: MediaAudience): { readonly token: string; readonly expiresAt: string } {
      const expiresAt_ms = Date.now() + LIFETIME_ms;
      const claims = `${audience}.${expiresAt_ms}`;
      const token = `${claims}.${signer.sign(`${mediaId}.${claims}`)}`;
      return { token, expiresAt: new Date(expiresAt_ms).toISOString() };
    },
    /**
     * Returns the audience of an access token. Returns null if the token is invalid, has expired, or belongs to another
     * file.
     */
    read(token: string, mediaId: string): MediaAudience | null {
      const [, audience, expiresAt_ms, signature] = TOKEN.exec(token) ?? [];
      if (audience === undefined || expiresAt_ms === undefined || signature === undefined) return null;
      const isValid =
        Number(expiresAt_ms) > Date.now() && signer.isValid(`${mediaId}.${audience}.${expiresAt_ms}`, signature);
      return isValid ? (audience as MediaAudience) : null;
    },
  };
}
