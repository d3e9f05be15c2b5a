import type { Reactor } from '../run-reactor.ts';

/** Has those who follow a thread told of each reply. Those who want one mail a day are found by a round of the workers. */
export const threadMails: Reactor = {
  name: 'reactor-thread-mails',
  on: {
    ReplyPosted: ({ data: { threadId, number } }) => ({ kind: 'thread-replies', payload: { threadId, number } }),
  },
};
