import * as z from 'zod/mini';
import { registerBody } from '../api/component.ts';

/**
 * The mail settings of an account that follows a thread. They define when replies to the thread are mailed to the
 * account.
 */
export const FOLLOW_MAIL_MODES = ['instant', 'daily', 'off'] as const;
export type FollowMailMode = (typeof FOLLOW_MAIL_MODES)[number];

/** Request body of `PUT /community/threads/{id}/follow`. */
export const followFields = registerBody('Follow', {
  mail: z._default(z.enum(FOLLOW_MAIL_MODES, 'Please choose instant, daily or off'), 'instant'),
});

/** Request body of `POST /community/unsubscribe`, which switches off mails about threads. */
export const unsubscribeFields = registerBody('Unsubscribe', {
  token: z
    .string('The link is incomplete')
    .check(z.trim(), z.minLength(1, 'The link is incomplete'), z.maxLength(400, 'The link is incomplete')),
});
