import { ApiError } from '@alpenglow/ui';
import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';

/**
 * Puts what the server says of single fields beside them. Answers the text for above the form: null when every complaint found a field.
 */
export function placeRefusal<Fields extends FieldValues>(
  error: unknown,
  names: readonly FieldPath<Fields>[],
  setError: UseFormSetError<Fields>,
  fallback: string,
): string | null {
  if (!(error instanceof ApiError)) return fallback;
  const placed = names.filter((name) => error.fields[name] !== undefined);
  for (const [index, name] of placed.entries()) setError(name, { message: error.fields[name] ?? '' }, { shouldFocus: index === 0 });
  return placed.length > 0 && placed.length === Object.keys(error.fields).length ? null : error.message || fallback;
}
