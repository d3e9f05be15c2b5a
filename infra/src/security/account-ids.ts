import { createHmac } from 'node:crypto';
import type { DeriveVerificationCode } from '@alpenglow/domain';

/**
 * Returns the account id for an e-mail address. The id is a keyed hash of the normalized address, so the same address
 * always results in the same account.
 */
export function accountIdOf(secret: string, email: string): string {
  return keyedId(secret, normalized(email));
}

/**
 * Returns the id of a stand-in account. Such an account is created for a sign-up with an address that already has an
 * account, so that the response does not show this (decision 0022). The same address and password result in the same
 * id. Without the secret, the id cannot be distinguished from other account ids.
 */
export function standInIdOf(secret: string, email: string, password: string): string {
  // A null character separates the address and the password. No address contains a null character, so the id differs
  // from the ids of all other accounts.
  return keyedId(secret, `${normalized(email)}\0${password}`);
}

function normalized(email: string): string {
  return email.trim().toLowerCase().normalize('NFC');
}

function keyedId(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('hex').slice(0, 32);
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
