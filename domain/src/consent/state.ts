import type { Aggregate } from '../aggregate.ts';
import { consentEvents, type ConsentEvent } from './events.ts';

/** The last choice of an account or visitor for each kind of consent text, and the number of recorded choices. */
export interface ConsentState {
  readonly lastChoices: Readonly<Record<string, Pick<ConsentEvent['data'], 'textVersion' | 'choice'>>>;
  readonly count: number;
}

function evolve(
  { lastChoices, count }: ConsentState,
  { data: { kind, textVersion, choice } }: ConsentEvent,
): ConsentState {
  return { lastChoices: { ...lastChoices, [kind]: { textVersion, choice } }, count: count + 1 };
}

export const consent: Aggregate<ConsentState, ConsentEvent> = {
  name: 'consent',
  initial: { lastChoices: {}, count: 0 },
  evolve,
  eventDefinitions: consentEvents,
};
