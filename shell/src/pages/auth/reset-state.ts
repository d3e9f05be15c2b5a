import { readAccountState } from './navigation-state.ts';

/** What `/forgot-password` hands to `/reset-password` with the navigation. */
export interface ResetState {
  readonly from: string | null;
  readonly email: string;
  /** Whether a code has just been asked for. */
  readonly isSent: boolean;
}

/** Reads it back from the history, which may hold anything. */
export function readResetState(state: unknown): ResetState {
  const { from, email } = readAccountState(state);
  const isSent = typeof state === 'object' && state !== null && 'isSent' in state && state.isSent === true;
  return { from, email, isSent: isSent && email !== '' };
}
