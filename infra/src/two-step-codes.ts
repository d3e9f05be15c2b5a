import { createHash, randomBytes } from 'node:crypto';
import { RECOVERY_CODES, type TwoStepCodes } from '@alpenglow/domain';
import { generateSecret, generateURI, verifySync } from 'otplib';

/** Time-based codes of RFC 6238, as every authenticator app makes them: SHA-1, six digits, a new one every 30 s. */

/** A code of the step before or after is taken, too: clocks differ, and people type. */
const TOLERANCE_s = 30;
const SIX_DIGITS = /^[0-9]{6}$/u;
/** Of one recovery code: 80 bits, too many to guess even for whoever has the hash. */
const RECOVERY_CODE_bytes = 10;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

export const twoStepCodes: TwoStepCodes = {
  timeStepOf(secret, code, now, after) {
    if (!SIX_DIGITS.test(code)) return null;
    const found = verifySync({
      secret,
      token: code,
      epoch: Math.floor(Date.parse(now) / 1000),
      epochTolerance: TOLERANCE_s,
      afterTimeStep: after,
    });
    return found.valid && 'timeStep' in found ? found.timeStep : null;
  },
  recoveryCodeHash: (accountId, code) =>
    createHash('sha256')
      .update(`recovery code\0${accountId}\0${withoutGaps(code)}`)
      .digest('base64url'),
};

/** A secret of 160 bits, in base32. */
export function newTwoStepSecret(): string {
  return generateSecret();
}

/** What an authenticator app reads from a QR code. `label` is whose account it is, as its owner knows it. */
export function twoStepUri(secret: string, label: string): string {
  return generateURI({ issuer: 'Alpenglow', label, secret });
}

/** Fresh recovery codes, each four groups of four letters and digits. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from(
    { length: RECOVERY_CODES },
    () => base32(randomBytes(RECOVERY_CODE_bytes)).match(/.{4}/gu)?.join('-') ?? '',
  );
}

function withoutGaps(code: string): string {
  return code.replaceAll('-', '');
}

/** Five bits a letter; a length that 5 bytes divide leaves no rest. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/gu) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('');
}
