import { readAccountState } from './navigation-state.ts';

/** The navigation state that `/forgot-password` passes to `/reset-password`. */
export interface ResetState {
  readonly from: string | null;
  readonly email: string;
  readonly isSent: boolean;
}

/**
 * Reads the navigation state from an entry of the browser history. Replaces invalid values by null, false or an empty
 * text.
 */
export function readResetState(state: unknown): ResetState {
  const { from, email } = readAccountState(state);
  const isSent = typeof state === 'object' && state !== null && 'isSent' in state && state.isSent === true;
  return { from, email, isSent: isSent && email !== '' };
}
