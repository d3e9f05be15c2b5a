import { describe, expect, test } from 'vitest';
import { toFeedMessage, type RecordedEvent } from '../src/index.ts';

const recorded = {
  id: 'event-7',
  type: 'ReplyPosted',
  version: 1,
  stream: 'thread-1',
  revision: 3,
  position: '7',
  meta: {
    at: '2026-01-02T03:04:05.000Z',
    actor: { kind: 'account', accountId: 'anna' },
    correlationId: 'c',
    causationId: null,
  },
  data: { threadId: 't', number: 2, accountId: 'anna', admissionId: 'a', quotedNumber: null },
} as unknown as RecordedEvent;

describe('an event whose personal fields cannot be decrypted', () => {
  test('is sent to live clients, because its message contains no personal fields', () => {
    expect(toFeedMessage({ ...recorded, unreadable: 'the key is missing' })).toMatchObject({
      type: 'reply_posted',
      threadId: 't',
      number: 2,
      eventId: 'event-7',
    });
  });
});
