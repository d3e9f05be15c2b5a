import { createHmac } from 'node:crypto';
import { normalizeEmail, type DeriveVerificationCode } from '@alpenglow/domain';

/**
 * Returns the account id for an e-mail address. The id is a hash of the normalized address with `key` (64 hex digits),
 * so the same address always results in the same account. The key never changes (decision 0064).
 */
export function accountIdOf(key: string, email: string): string {
  return keyedId(key, normalizeEmail(email));
}

/**
 * Returns the id of the stand-in account of an e-mail address. Such an account is created for a sign-up with the
 * address of a verified account, so that the response does not show this (decision 0055). Without the key, the id
 * cannot be distinguished from other account ids.
 */
export function standInIdOf(key: string, email: string): string {
  // No address contains a null character, so the id differs from the ids of all other accounts.
  return keyedId(key, `${normalizeEmail(email)}\0stand-in`);
}

function keyedId(key: string, text: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex').slice(0, 32);
}

/**
 * Returns a function that derives 6-digit verification codes from the secret. The codes are therefore not stored
 * (decision 0005).
 */
export function createVerificationCodes(secret: string): DeriveVerificationCode {
  return (issuanceId) => {
    const digest = createHmac('sha256', Buffer.from(secret, 'hex')).update(issuanceId).digest();
    return String(Number(digest.readBigUInt64BE() % 1_000_000n)).padStart(6, '0');
  };
}
