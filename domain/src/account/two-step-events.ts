import * as z from 'zod/mini';
import { defineEvent } from '../event-definition.ts';

/** Two-step sign-in: a code of an authenticator app beside the password (decision 0038). */

const accountId = z.string();
const subjectOf = (data: { accountId: string }) => data.accountId;

/** The secret an app shares with us, in base32. It counts for nothing before a code of it has come back. */
export const TwoStepSetUpBegun = defineEvent('TwoStepSetUpBegun', {
  version: 1,
  schema: z.object({ accountId, secret: z.string(), expiresAt: z.string() }),
  personal: { secret: '' },
  subjectOf,
});

/** From now on, signing in takes a code. `timeStep` is that of the code that showed the secret has arrived. */
export const TwoStepEnabled = defineEvent('TwoStepEnabled', {
  version: 1,
  schema: z.object({ accountId, secret: z.string(), recoveryCodeHashes: z.array(z.string()), timeStep: z.number() }),
  personal: { secret: '', recoveryCodeHashes: [] },
  subjectOf,
});

/** A code of the app was right: neither it nor an earlier one is again. */
export const TwoStepCodeUsed = defineEvent('TwoStepCodeUsed', {
  version: 1,
  schema: z.object({ accountId, timeStep: z.number() }),
});

/** A recovery code was right, in place of the app's: each is so once. */
export const RecoveryCodeUsed = defineEvent('RecoveryCodeUsed', {
  version: 1,
  schema: z.object({ accountId, recoveryCodeHash: z.string() }),
  personal: { recoveryCodeHash: '' },
  subjectOf,
});

export const TwoStepDisabled = defineEvent('TwoStepDisabled', { version: 1, schema: z.object({ accountId }) });

export const twoStepEvents = [
  TwoStepSetUpBegun,
  TwoStepEnabled,
  TwoStepCodeUsed,
  RecoveryCodeUsed,
  TwoStepDisabled,
] as const;
