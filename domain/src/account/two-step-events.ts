import * as z from 'zod/mini';
import { defineEvent } from '../event-definition.ts';
import { ownRecord, sealed } from '../event-policies.ts';

/**
 * Events of two-step sign-in, which requires a code of an authenticator app in addition to the password (decision
 * 0038).
 */

const accountId = z.string();

export const twoStepEvents = [
  /**
   * The set-up of two-step sign-in has begun. The owner enters the base32-encoded secret in an authenticator app. The
   * secret takes effect after a code of the app has confirmed it.
   */
  defineEvent('TwoStepSetUpBegun', {
    version: 1,
    ...sealed,
    schema: z.object({ accountId, secret: z.string(), expiresAt: z.string() }),
    personalFields: { secret: '' },
    secretFields: ['secret'],
  }),
  /**
   * Two-step sign-in was switched on, so each sign-in requires a code. `timeStep` is the time step of the code that
   * confirmed the secret, i.e. the period in which the app shows this code.
   */
  defineEvent('TwoStepEnabled', {
    version: 1,
    ...sealed,
    schema: z.object({ accountId, secret: z.string(), recoveryCodeHashes: z.array(z.string()), timeStep: z.number() }),
    personalFields: { secret: '', recoveryCodeHashes: [] },
    secretFields: ['secret', 'recoveryCodeHashes'],
  }),
  /** A code of the authenticator app was used. This code and all earlier codes are then invalid. */
  defineEvent('TwoStepCodeUsed', { version: 1, ...ownRecord, schema: z.object({ accountId, timeStep: z.number() }) }),
  /** A recovery code was used instead of a code of the authenticator app. The recovery code cannot be used again. */
  defineEvent('RecoveryCodeUsed', {
    version: 1,
    ...sealed,
    schema: z.object({ accountId, recoveryCodeHash: z.string() }),
    personalFields: { recoveryCodeHash: '' },
  }),
  defineEvent('TwoStepDisabled', { version: 1, ...ownRecord, schema: z.object({ accountId }) }),
] as const;
