import type { Aggregate } from '../aggregate.ts';
import { consentEvents, type ConsentEvent } from './events.ts';

/** What somebody last said to each text, by kind, and how often they said anything. */
export interface ConsentState {
  readonly last: Readonly<Record<string, Pick<ConsentEvent['data'], 'textVersion' | 'choice'>>>;
  readonly count: number;
}

function evolve({ last, count }: ConsentState, { data: { kind, textVersion, choice } }: ConsentEvent): ConsentState {
  return { last: { ...last, [kind]: { textVersion, choice } }, count: count + 1 };
}

export const consent: Aggregate<ConsentState, ConsentEvent> = {
  name: 'consent',
  initial: { last: {}, count: 0 },
  evolve,
  definitions: consentEvents,
};
