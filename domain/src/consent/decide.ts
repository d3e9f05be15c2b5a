import type { Decider } from '../aggregate.ts';
import { MAX_CONSENTS } from '../constants.ts';
import type { RecordConsent } from './commands.ts';
import type { ConsentEvent } from './events.ts';
import type { ConsentState } from './state.ts';

/**
 * Records the choice of a person about a consent text. Repeating the same choice changes nothing. After `MAX_CONSENTS`
 * records, further choices are ignored.
 */
export const recordConsent: Decider<RecordConsent, ConsentState, ConsentEvent> = (
  { subjectId, kind, textVersion, choice },
  { lastChoices, count },
) => {
  const before = lastChoices[kind];
  if (before?.textVersion === textVersion && before.choice === choice) return [];
  return count < MAX_CONSENTS ? [{ type: 'ConsentRecorded', data: { subjectId, kind, textVersion, choice } }] : [];
};
