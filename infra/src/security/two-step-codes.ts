import { createHash } from 'node:crypto';
import { RECOVERY_CODE_COUNT, type TwoStepCodeVerifier } from '@alpenglow/domain';
import { generateSecret, generateURI, verifySync } from 'otplib';

/**
 * Verifies the codes of authenticator apps for two-step sign-in. They are time-based codes (RFC 6238) with SHA-1, six
 * digits and a new code every 30 s.
 */

/**
 * The tolerated clock difference. The codes of the previous and the next 30 s are also accepted, because clocks differ
 * and typing takes time.
 */
const TOLERANCE_s = 30;
const SIX_DIGITS = /^[0-9]{6}$/u;
/**
 * The size of a recovery code, which replaces a two-step code. Its 80 bits cannot be guessed, even if the hash of the
 * code is known.
 */
const RECOVERY_CODE_bytes = 10;

export const twoStepCodes: TwoStepCodeVerifier = {
  findTimeStep(secret, code, now, after) {
    if (!SIX_DIGITS.test(code)) return null;
    const result = verifySync({
      secret,
      token: code,
      epoch: Math.floor(Date.parse(now) / 1000),
      epochTolerance: TOLERANCE_s,
      afterTimeStep: after,
    });
    return result.valid && 'timeStep' in result ? result.timeStep : null;
  },
  hashRecoveryCode: (accountId, code) =>
    createHash('sha256')
      .update(`recovery code\0${accountId}\0${code.replaceAll('-', '')}`)
      .digest('base64url'),
};

/** Returns a new random secret of 160 bits for two-step codes, in base32. */
export function newTwoStepSecret(): string {
  return generateSecret();
}

/**
 * Returns the URI that an authenticator app reads from a QR code. The app shows `label` as the name of the
 * account.
 */
export function twoStepUri(secret: string, label: string): string {
  return generateURI({ issuer: 'Alpenglow', label, secret });
}

/** Returns new recovery codes. Every code consists of four groups of four letters and digits. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from(
    { length: RECOVERY_CODE_COUNT },
    () => generateSecret({ length: RECOVERY_CODE_bytes }).toLowerCase().match(/.{4}/gu)?.join('-') ?? '',
  );
}
