import { MAX_CONSENTS } from '../constants.ts';
import type { ConsentEvent } from './events.ts';
import type { NewConsent } from './fields.ts';
import type { ConsentState } from './state.ts';

export interface RecordConsent extends Pick<NewConsent, 'kind' | 'textVersion' | 'choice'> {
  readonly subjectId: string;
}

/** Keeps what somebody said to a text. The same again is nothing new, and whoever changes their mind without end is no longer noted. */
export function recordConsent(
  { subjectId, kind, textVersion, choice }: RecordConsent,
  { last, count }: ConsentState,
): readonly ConsentEvent[] {
  const before = last[kind];
  if (before?.textVersion === textVersion && before.choice === choice) return [];
  return count < MAX_CONSENTS ? [{ type: 'ConsentRecorded', data: { subjectId, kind, textVersion, choice } }] : [];
}
