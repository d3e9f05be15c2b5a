import type { Reactor } from './run-reactor.ts';

/**
 * Creates a job for each reply in a thread. The job notifies the followers of the thread by mail. For followers with
 * daily mails, a periodic task of the workers sends the mails instead.
 */
export const threadMails: Reactor = {
  name: 'reactor-thread-mails',
  // The job reads the whole thread, so it would fail.
  needsPersonalData: true,
  on: {
    ReplyPosted: ({ data: { threadId, number } }) => ({ kind: 'thread-replies', payload: { threadId, number } }),
  },
};
