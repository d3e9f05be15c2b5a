import * as z from 'zod/mini';
import { registerBody } from './api/component.ts';
import { REASON_LENGTH_MAX, REASON_LENGTH_MIN } from './account/fields.ts';
import { HOUSE_RULE_IDS } from './moderation/rules.ts';
import { optionalText, requiredText } from './text-fields.ts';

/** Inputs of the API operations for admins, except path parameters. */

/** The optional reason that an admin gives for an action. */
export const reasonFields = registerBody('Reason', {
  reason: z._default(optionalText('Reason', REASON_LENGTH_MAX), null),
});

/**
 * The reason for which an admin takes an ad down or closes an account, and the house rule that was broken. Both are
 * part of the statement that the owner gets.
 */
export const takeDownFields = registerBody('TakeDown', {
  reason: requiredText('Reason', REASON_LENGTH_MAX, REASON_LENGTH_MIN),
  rule: z._default(z.enum(HOUSE_RULE_IDS, 'Please choose the rule'), 'other'),
});
export type TakeDownFields = z.output<typeof takeDownFields>;

/** Sort orders of the user list. `ads` lists users with an ad first, from the newest to the oldest ad. */
export const USER_SORTS = ['newest', 'oldest', 'name', 'ads'] as const;
export type UserSort = (typeof USER_SORTS)[number];
/** Role filters of the user list. `none` selects users without a role. */
export const USER_ROLES = ['admin', 'moderator', 'none'] as const;

/** Sort orders of the ad list for admins. */
export const ADMIN_AD_SORTS = ['newest', 'oldest', 'bumped', 'title'] as const;
export type AdminAdSort = (typeof ADMIN_AD_SORTS)[number];

/**
 * States of a background job. A `failed` job will be retried. A `dead` job has used up its attempts and is not retried
 * automatically. A `delayed` job starts at a set time.
 */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'failed', 'dead'] as const;
export type JobState = (typeof JOB_STATES)[number];
