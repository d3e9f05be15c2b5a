import * as z from 'zod/mini';

/** How somebody who follows a thread is mailed of its replies. */
export const FOLLOW_MAILS = ['instant', 'daily', 'off'] as const;
export type FollowMail = (typeof FOLLOW_MAILS)[number];

/** `PUT /community/threads/{id}/follow`. */
export const followFields = z.object({
  mail: z._default(z.enum(FOLLOW_MAILS, 'Please choose instant, daily or off'), 'instant'),
});

/** `POST /community/unsubscribe`. */
export const unsubscribeFields = z.object({
  token: z
    .string('The link is not complete')
    .check(z.trim(), z.minLength(1, 'The link is not complete'), z.maxLength(400, 'The link is not complete')),
});
