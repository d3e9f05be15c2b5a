/** The part of a zod error that this module reads. */
export interface FieldIssues {
  readonly issues: readonly {
    readonly code?: string | undefined;
    readonly path: readonly PropertyKey[];
    readonly message: string;
  }[];
}

/** Returns the first error message of each field. */
export function errorsByField({ issues }: FieldIssues): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const { path, message } of issues) errors[String(path[0] ?? '')] ??= message;
  return errors;
}

/** Moves the focus to the first invalid field, once the error messages have been rendered. */
export function focusFirstError(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
