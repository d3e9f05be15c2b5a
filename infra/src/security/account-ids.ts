import { createHmac } from 'node:crypto';
import type { DeriveVerificationCode } from '@alpenglow/domain';

/**
 * Returns the account id of an e-mail address. The id is a keyed hash of the normalized address, so that each address
 * has only one event stream.
 */
export function accountIdOf(secret: string, email: string): string {
  return keyedId(secret, normalized(email));
}

/**
 * Returns the id of a stand-in account, which replaces the sign-up with an address that already has an account
 * (decision 0022). The same address and password result in the same id. Only with the secret can the id be
 * distinguished from other account ids.
 */
export function standInIdOf(secret: string, email: string, password: string): string {
  // A null character separates the parts. No address contains it, so the id differs from the id of every other account.
  return keyedId(secret, `${normalized(email)}\0${password}`);
}

function normalized(email: string): string {
  return email.trim().toLowerCase().normalize('NFC');
}

function keyedId(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('hex').slice(0, 32);
}

/** Returns a function that derives 6-digit codes from the secret. No code is stored (decision 0005). */
export function createVerificationCodes(secret: string): DeriveVerificationCode {
  return (issuanceId) => {
    const digest = createHmac('sha256', Buffer.from(secret, 'hex')).update(issuanceId).digest();
    return String(Number(digest.readBigUInt64BE() % 1_000_000n)).padStart(6, '0');
  };
}
