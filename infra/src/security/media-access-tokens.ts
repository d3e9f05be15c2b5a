import { createHmac, timingSafeEqual } from 'node:crypto';

/** The person for whom an access token was issued: the owner of the photo or video, or a member of staff. */
export type MediaAudience = 'owner' | 'staff';

/** The time after which an access token expires. */
const LIFETIME_ms = 10 * 60_000;
const TOKEN = /^(owner|staff)\.(\d{13})\.([\w-]{43})$/u;

/**
 * Creates and checks tokens with which a photo or video can be loaded while it is not public. Every person with the
 * token can load the file, so a token expires after 10 minutes and is valid for only one file.
 *
 * A token consists of its audience, its expiry time (ms since 1970) and an HMAC of audience, expiry time and media id.
 * The HMAC key is derived from `secret` (hex).
 */
export function createMediaAccessTokens(secret: string) {
  // No e-mail address contains a null character, so this key differs from every account id, which is derived from the
  // same secret.
  const key = createHmac('sha256', Buffer.from(secret, 'hex')).update('media\0').digest();
  const signatureOf = (mediaId: string, audience: string, expiresAt_ms: string) =>
    createHmac('sha256', key).update(`${mediaId}.${audience}.${expiresAt_ms}`).digest();
  return {
    /** Returns an access token for one photo or video, and the expiry time of the token in ISO 8601 format. */
    issue(mediaId: string, audience: MediaAudience): { readonly token: string; readonly expiresAt: string } {
      const expiresAt_ms = Date.now() + LIFETIME_ms;
      const signature = signatureOf(mediaId, audience, String(expiresAt_ms)).toString('base64url');
      return { token: `${audience}.${expiresAt_ms}.${signature}`, expiresAt: new Date(expiresAt_ms).toISOString() };
    },
    /**
     * Returns the audience of an access token. Returns null if the token is invalid, has expired, or belongs to another
     * file.
     */
    read(token: string, mediaId: string): MediaAudience | null {
      const [, audience, expiresAt_ms, signature] = TOKEN.exec(token) ?? [];
      if (audience === undefined || expiresAt_ms === undefined || signature === undefined) return null;
      if (Number(expiresAt_ms) <= Date.now()) return null;
      const isValid = timingSafeEqual(
        Buffer.from(signature, 'base64url'),
        signatureOf(mediaId, audience, expiresAt_ms),
      );
      return isValid ? (audience as MediaAudience) : null;
    },
  };
}
