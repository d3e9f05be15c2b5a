import { getRedirectPath } from '../../routes/access-guard.tsx';

/**
 * The navigation state that the account pages pass to each other. The data must not be in the URL, because URLs appear
 * in browser histories and server logs.
 */
export interface AccountState {
  /** The path that is opened after the last step. It is null if there is none. */
  readonly from: string | null;
  /** The e-mail address that the visitor has typed. It may be empty. */
  readonly email: string;
  /** The verification code, which only a demo installation returns. Otherwise null. */
  readonly demoCode: string | null;
}

/** Reads the navigation state from the browser history. The history may contain invalid values. */
export function readAccountState(state: unknown): AccountState {
  const entries: Readonly<Record<string, unknown>> = typeof state === 'object' && state !== null ? { ...state } : {};
  const { email, demoCode } = entries;
  return {
    from: getRedirectPath(state),
    email: typeof email === 'string' ? email : '',
    demoCode: typeof demoCode === 'string' ? demoCode : null,
  };
}
