import { createHmac } from 'node:crypto';
import type { VerificationCodeOf } from '@alpenglow/domain';

/** The account id of an e-mail address: a keyed hash of its normalised form, so that one address can only ever have one stream. */
export function accountIdOf(secret: string, email: string): string {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(email.trim().toLowerCase().normalize('NFC')).digest('hex').slice(0, 32);
}

/** Derives the 6-digit code of an issuance from the secret, so that no code is stored anywhere (decision 0005). */
export function verificationCodes(secret: string): VerificationCodeOf {
  return (issuanceId) => {
    const digest = createHmac('sha256', Buffer.from(secret, 'hex')).update(issuanceId).digest();
    return String(Number(digest.readBigUInt64BE() % 1_000_000n)).padStart(6, '0');
  };
}
