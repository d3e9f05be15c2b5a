import * as z from 'zod/mini';
import { REASON_MAX } from './account/fields.ts';
import { optionalText } from './text-fields.ts';

/** What the admin calls take beside their paths. */

/** Why an admin did it: whoever sends none, as the clients of the specification, section 7, does as well. */
export const reasonFields = z.object({ reason: z._default(optionalText('Reason', REASON_MAX), null) });

/** Orders of the list of users; `ads` has those first who have an ad up, the newest of them first. */
export const USER_SORTS = ['newest', 'oldest', 'name', 'ads'] as const;
export type UserSort = (typeof USER_SORTS)[number];
/** `none` is who has no role. */
export const USER_ROLES = ['admin', 'moderator', 'none'] as const;

/** Orders of the list of ads as admins see it. */
export const ADMIN_AD_SORTS = ['newest', 'oldest', 'bumped', 'title'] as const;
export type AdminAdSort = (typeof ADMIN_AD_SORTS)[number];

/** States of a job: `failed` will be tried again, `dead` has used up its attempts, `delayed` has a time set. */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'failed', 'dead'] as const;
export type JobState = (typeof JOB_STATES)[number];
