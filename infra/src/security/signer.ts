import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKeys } from './key-wrapping.ts';

const SIGNATURE = /^[\w-]{43}$/u;

/**
 * Creates and checks signatures for one purpose. A signature is an HMAC in base64url with 43 characters. The HMAC key
 * is derived from a secret and `purpose`, so a signature for one purpose is invalid for any other purpose. `secrets` is
 * a list of secrets (hex), separated by commas. The first one signs. Signatures with the other ones are also valid, so
 * that a secret can be replaced (decision 0064).
 */
export function createSigner(secrets: string, purpose: string) {
  const keys = deriveKeys(secrets, purpose);
  const compute = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  return {
    sign: (text: string): string => compute(keys[0], text).toString('base64url'),
    /** Compares in constant time, so that the duration of a request does not reveal a part of the signature. */
    isValid: (text: string, signature: string): boolean =>
      SIGNATURE.test(signature) &&
      keys.some((key) => timingSafeEqual(Buffer.from(signature, 'base64url'), compute(key, text))),
  };
}
