import { ApiError } from '../api/api-error.ts';
import { t } from '../i18n/i18n.ts';

/**
 * Resolves after `time_ms` milliseconds, or earlier when the browser is online again. Rejects immediately with the code
 * CANCELLED when `signal` aborts, or if it has aborted before.
 */
export function waitForConnection(time_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      removeEventListener('online', finish);
    };
    const cancel = () => {
      end();
      reject(new ApiError(t('api.cancelled'), { status: 0, code: 'CANCELLED' }));
    };
    const finish = () => {
      end();
      resolve();
    };
    const timer = setTimeout(finish, time_ms);
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel);
    addEventListener('online', finish);
  });
}
