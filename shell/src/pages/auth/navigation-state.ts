import { sentFrom } from '../../routes/guarded.tsx';

/** What the pages of an account hand to one another with a navigation. Never in the address: it would stand in histories and logs. */
export interface AccountState {
  /** Where to go in the end; null when nowhere in particular. */
  readonly from: string | null;
  /** The address that was typed; empty when none was. */
  readonly email: string;
  /** The code itself, where the product runs as a demo and answers it. */
  readonly demoCode: string | null;
}

/** Reads it back from the history, which may hold anything. */
export function readAccountState(state: unknown): AccountState {
  const entries: Readonly<Record<string, unknown>> = typeof state === 'object' && state !== null ? { ...state } : {};
  const { email, demoCode } = entries;
  return {
    from: sentFrom(state),
    email: typeof email === 'string' ? email : '',
    demoCode: typeof demoCode === 'string' ? demoCode : null,
  };
}
