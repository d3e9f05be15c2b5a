import { createCipheriv, createDecipheriv } from 'node:crypto';
import { drawRandomBytes } from './random.ts';

const CIPHER = 'aes-256-gcm';
const IV_bytes = 12;
const TAG_bytes = 16;
/** The number of bytes by which the result of `encrypt` is longer than its input. */
export const ENCRYPTION_OVERHEAD_bytes = IV_bytes + TAG_bytes;

/**
 * Encrypts `plain` with a key of 32 bytes. Returns the initialization vector, the ciphertext and the authentication tag
 * in one buffer. Decryption succeeds only with the same `context`, e.g. an event id.
 */
export function encrypt(key: Buffer, context: string, plain: Uint8Array | string): Buffer {
  const iv = drawRandomBytes(IV_bytes);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(context));
  const encrypted = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  return Buffer.concat([iv, encrypted, cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts `box`, the result of `encrypt`. Throws if the key or `context` is different, or if `box` was manipulated.
 */
export function decrypt(key: Buffer, context: string, box: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, box.subarray(0, IV_bytes), { authTagLength: TAG_bytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(box.subarray(-TAG_bytes));
  const plain = decipher.update(box.subarray(IV_bytes, -TAG_bytes));
  const rest = decipher.final();
  // A file of 100 MB is not copied, because the rest is always empty in this mode.
  return rest.length === 0 ? plain : Buffer.concat([plain, rest]);
}
