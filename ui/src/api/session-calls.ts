/** Requests of the session. They are apart from those of accounts, because every page needs them. */
import { createErrorFormatter } from './api-error.ts';
import type { Api } from './client.ts';

/** Ends the session on the server. */
export const endSession = (api: Api) => api.requestWithToken<'logOut'>({ method: 'POST', path: '/auth/logout' });

/** Returns the user of the session. */
export const verifySession = (api: Api) =>
  api.requestWithToken<'verifySession'>({
    method: 'POST',
    path: '/auth/verify',
    formatMessage: createErrorFormatter('api.tokenVerificationFailed'),
  });
