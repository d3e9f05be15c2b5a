import { createRandomHex, isApiError, messageOf, type Session } from '@alpenglow/ui';
import { isDemo } from '../demo/is-demo.ts';
import { t } from '../text.ts';

let errorId: string | undefined;

/**
 * Returns the correlation id of the errors of this page load. Reports of errors have it as their `X-Request-Id`, so it
 * is in the log of the server.
 */
export function getErrorId(): string {
  errorId ??= createRandomHex(12);
  return errorId;
}

/**
 * Returns what an error screen shows about an error. The server writes the text of an `ApiError` for users, so
 * everybody sees it. The text of another error is for developers. Only staff and visitors of a demo see it, and others
 * see the correlation id.
 */
export function describeError(error: unknown, session: Session): string {
  const text = error instanceof Error ? messageOf(error, error.message) : String(error);
  const seesAll = isDemo() || (session.state === 'authenticated' && session.user.isModerator);
  return text !== '' && (seesAll || isApiError(error)) ? text : t('common.reference', { id: getErrorId() });
}
