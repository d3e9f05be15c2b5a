import { sentFrom } from '../routes/guarded.tsx';

/** What sign-up hands to `/verify-email` with the navigation. */
export interface VerificationState {
  /** Where to go afterwards; null when nowhere in particular. */
  readonly from: string | null;
  /** The code itself, where the product runs as a demo and answers it. */
  readonly demoCode: string | null;
}

/** Reads it back from the history, which may hold anything. */
export function readVerificationState(state: unknown): VerificationState {
  const demoCode = typeof state === 'object' && state !== null && 'demoCode' in state && typeof state.demoCode === 'string' ? state.demoCode : null;
  return { from: sentFrom(state), demoCode };
}
