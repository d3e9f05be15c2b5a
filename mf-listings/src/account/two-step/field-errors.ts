import { isApiError } from '@alpenglow/ui';

/** Returns the field errors of an API error. A wrong password and a wrong code are errors of their fields. */
export function getFieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!isApiError(error)) return {};
  if (error.code === 'WRONG_PASSWORD') return { password: error.message };
  return error.code === 'TWO_STEP_CODE_WRONG' ? { code: error.message } : error.fields;
}
