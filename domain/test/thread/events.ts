import type { Member } from '../../src/thread/commands.ts';
import type { ThreadEvent } from '../../src/thread/events.ts';

/** Test events of a thread that Anna started and Ben replied to. The moderator is a third person. */

export const threadId = '0193a1b2-0000-7000-8000-000000000001';
const registeredAt = '2025-01-01T00:00:00.000Z';
export const anna: Member = { accountId: 'anna', emailVerified: true, isModerator: false, registeredAt };
export const ben: Member = { ...anna, accountId: 'ben' };
export const moderator: Member = { ...anna, accountId: 'mo', isModerator: true };
export const place = { country: 'us', state: 'NV', city: 'Las Vegas' };
export const content = (body: string, links = 0) => ({ body, fingerprint: `#${body}`, links });

export const started: Extract<ThreadEvent, { type: 'ThreadStarted' }> = {
  type: 'ThreadStarted',
  data: {
    threadId,
    accountId: 'anna',
    admissionId: 'a0',
    ...place,
    title: 'Quiet places',
    body: 'Where?',
    fingerprint: '#Where?',
  },
};

export function replied(
  number: number,
  { by = 'ben', body = `Reply ${number}`, quotedNumber = null as number | null, admissionId = `a${number}` } = {},
): Extract<ThreadEvent, { type: 'ReplyPosted' }> {
  return {
    type: 'ReplyPosted',
    data: { threadId, number, accountId: by, admissionId, body, fingerprint: `#${body}`, quotedNumber },
  };
}

export const deleted = (number: number, accountId: string): ThreadEvent => ({
  type: 'PostDeleted',
  data: { threadId, number, accountId },
});
export const hidden = (
  number: number,
  accountId: string,
  {
    by = 'moderator' as const,
    reason = null as string | null,
  }: { by?: 'moderator' | 'report'; reason?: string | null } = {},
): ThreadEvent => ({
  type: 'PostHidden',
  data: { threadId, number, accountId, by, reason },
});
export const restored = (number: number, accountId: string): ThreadEvent => ({
  type: 'PostRestored',
  data: { threadId, number, accountId },
});
export const threadEvent = (
  type: 'ThreadLocked' | 'ThreadUnlocked' | 'ThreadPinned' | 'ThreadUnpinned',
): ThreadEvent => ({
  type,
  data: { threadId },
});
