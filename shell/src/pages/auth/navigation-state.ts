import { getRedirectPath } from '../../routes/access-guard.tsx';

/**
 * The navigation state that account pages, such as login and sign-up, pass to each other. The data must not be in the
 * URL, because URLs appear in browser histories and server logs.
 */
export interface AccountState {
  /** The path that is opened after the last step. Null if no path was requested. */
  readonly from: string | null;
  /** The e-mail address that the visitor has typed. It may be empty. */
  readonly email: string;
  /** The verification code, which only a demo installation returns. Otherwise null. */
  readonly demoCode: string | null;
}

/**
 * Reads the navigation state from an entry of the browser history. Replaces invalid values by null or an empty text.
 */
export function readAccountState(state: unknown): AccountState {
  const entries: Readonly<Record<string, unknown>> = typeof state === 'object' && state !== null ? { ...state } : {};
  const { email, demoCode } = entries;
  return {
    from: getRedirectPath(state),
    email: typeof email === 'string' ? email : '',
    demoCode: typeof demoCode === 'string' ? demoCode : null,
  };
}
