import { createHmac } from 'node:crypto';
import type { VerificationCodeOf } from '@alpenglow/domain';

/** The account id of an e-mail address: a keyed hash of its normalised form, so that one address can only ever have one stream. */
export function accountIdOf(secret: string, email: string): string {
  return keyedId(secret, normalised(email));
}

/**
 * The id of the account that stands in for an address that has another one, for whoever signed up with it and this password (decision
 * 0022): address and password find it again, and nobody without the secret can tell it from any other account's.
 */
export function standInIdOf(secret: string, email: string, password: string): string {
  // No address contains the null character, so no stand-in can share an id with an account.
  return keyedId(secret, `${normalised(email)}\0${password}`);
}

function normalised(email: string): string {
  return email.trim().toLowerCase().normalize('NFC');
}

function keyedId(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('hex').slice(0, 32);
}

/** Derives the 6-digit code of an issuance from the secret, so that no code is stored anywhere (decision 0005). */
export function verificationCodes(secret: string): VerificationCodeOf {
  return (issuanceId) => {
    const digest = createHmac('sha256', Buffer.from(secret, 'hex')).update(issuanceId).digest();
    return String(Number(digest.readBigUInt64BE() % 1_000_000n)).padStart(6, '0');
  };
}
