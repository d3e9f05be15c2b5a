import { isApiError } from '@alpenglow/ui';

/**
 * Returns the error messages of an API error by field. A wrong password is reported at the password field, and a wrong
 * code at the code field.
 */
export function getFieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!isApiError(error)) return {};
  if (error.code === 'WRONG_PASSWORD') return { password: error.message };
  return error.code === 'TWO_STEP_CODE_WRONG' ? { code: error.message } : error.fields;
}
