import { randomBytes } from 'node:crypto';
import { toNetworkKey } from '../http/client-address.ts';
import { createSigner } from './signer.ts';

/** The time after which a token expires, in seconds. The page of an ad then requests a new token. */
export const CONTACT_TOKEN_LIFETIME_s = 15 * 60;
const TOKEN = /^(\d{13}\.[\w-]{16})\.([\w-]{43})$/u;

/**
 * Creates and checks tokens that are part of the response for one ad. The contact details of this ad can only
 * be requested with such a token, from the network that received it, and within 15 minutes. A client therefore has to
 * load every ad before it can collect phone numbers.
 *
 * A token consists of its expiry time (ms since 1970), a random value, and a signature of ad id, network, expiry time
 * and random value. It contains no network address.
 */
export function createContactTokens(secret: string) {
  const signer = createSigner(secret, 'contact');
  const toText = (adId: string, address: string | undefined, claims: string) =>
    [adId, toNetworkKey(address), claims].join('\0');
  return {
    /** Returns a token for an ad. `address` is the IP address of the client. */
    issue(adId: string, address: string | undefined): string {
      const expiresAt_ms = Date.now() + CONTACT_TOKEN_LIFETIME_s * 1000;
      const claims = `${expiresAt_ms}.${randomBytes(12).toString('base64url')}`;
      return `${claims}.${signer.sign(toText(adId, address, claims))}`;
    },
    /** Returns true if the token was issued for this ad and this network, and has not expired. */
    isValid(token: string, adId: string, address: string | undefined): boolean {
      const [, claims, signature] = TOKEN.exec(token) ?? [];
      if (claims === undefined || signature === undefined) return false;
      return Number(claims.slice(0, 13)) > Date.now() && signer.isValid(toText(adId, address, claims), signature);
    },
  };
}
