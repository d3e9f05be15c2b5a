import type { Reactor } from '../run-reactor.ts';

/**
 * Creates a job for each reply, which notifies the followers of the thread. A periodic task of the workers sends the
 * daily mails.
 */
export const threadMails: Reactor = {
  name: 'reactor-thread-mails',
  on: {
    ReplyPosted: ({ data: { threadId, number } }) => ({ kind: 'thread-replies', payload: { threadId, number } }),
  },
};
