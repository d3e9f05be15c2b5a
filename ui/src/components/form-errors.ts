import { useMemo } from 'react';
import type { FieldErrors, FieldPath, FieldValues, Resolver, UseFormSetError } from 'react-hook-form';
import { getErrorMessage, isApiError } from '../api/api-error.ts';
import type { FieldIssues } from './field-errors.ts';

/** The part of a zod `safeParse` result that `createResolver` reads. */
export type ValidationResult<Fields> =
  | { readonly success: true; readonly data: Fields }
  | { readonly success: false; readonly error: FieldIssues };

/**
 * Creates the validation function of a form for react-hook-form. `validate` checks the form values with a schema of the
 * domain, and returns the fields of the request.
 */
export function createResolver<Values extends FieldValues, Fields extends FieldValues>(
  validate: (values: Values) => ValidationResult<Fields>,
): Resolver<Values, unknown, Fields> {
  return (values) => {
    const validation = validate(values);
    if (validation.success) return { values: validation.data, errors: {} };
    const errors: Record<string, unknown> = {};
    for (const { path, message, code } of validation.error.issues) {
      const [field = 'root', part] = path.map(String);
      const error = { type: code, message };
      // An error of one list item, such as one tag, is shown at the field that contains the whole list.
      if (part === undefined || !isObject(values[field])) errors[field] ??= error;
      else errors[field] = { [part]: error, ...(errors[field] as object | undefined) };
    }
    return { values: {}, errors: errors as FieldErrors<Values> };
  };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/**
 * Shows the field errors of an API error next to their fields. Returns the message for the box above the form. Returns
 * null if all errors belong to fields.
 */
export function showFieldErrors<Fields extends FieldValues>(
  error: unknown,
  names: readonly FieldPath<Fields>[],
  setError: UseFormSetError<Fields>,
  fallback: string,
): string | null {
  if (!isApiError(error)) return fallback;
  const shownNames = names.filter((name) => error.fields[name] !== undefined);
  for (const [index, name] of shownNames.entries())
    setError(name, { message: error.fields[name] ?? '' }, { shouldFocus: index === 0 });
  return shownNames.length > 0 && shownNames.length === Object.keys(error.fields).length
    ? null
    : getErrorMessage(error, fallback);
}

/**
 * Returns the field errors of a failed write in the format of the `errors` option of `useForm`. Returns undefined if
 * the write has no field errors.
 */
export function useServerErrors<Values extends FieldValues>(error: unknown): FieldErrors<Values> | undefined {
  return useMemo(() => {
    const fields = isApiError(error) ? Object.entries(error.fields) : [];
    if (fields.length === 0) return undefined;
    const errors = Object.fromEntries(fields.map(([name, message]) => [name, { type: 'server', message }]));
    return errors as FieldErrors<Values>;
  }, [error]);
}
