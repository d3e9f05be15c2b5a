import { isApiError } from '@alpenglow/ui';

/** What a refusal says of single fields: a wrong password and a wrong code are said beside theirs. */
export function refusedFields(error: unknown): Readonly<Record<string, string>> {
  if (!isApiError(error)) return {};
  if (error.code === 'WRONG_PASSWORD') return { password: error.message };
  return error.code === 'TWO_STEP_CODE_WRONG' ? { code: error.message } : error.fields;
}
