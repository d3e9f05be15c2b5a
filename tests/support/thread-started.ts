import type { ThreadEvent } from '@alpenglow/domain';

/** Returns the event with which Anna starts a thread in Reno. */
export const threadStarted = (threadId: string, body = 'Where?'): Extract<ThreadEvent, { type: 'ThreadStarted' }> => ({
  type: 'ThreadStarted',
  data: {
    threadId,
    accountId: 'anna',
    admissionId: `admission-${threadId}`,
    country: 'us',
    state: 'NV',
    city: 'Reno',
    title: 'Quiet places',
    body,
    fingerprint: body,
  },
});
