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

/**
 * Moves the focus to the first invalid field, once the error messages have been rendered. In an invalid radio group,
 * the first choice receives the focus. The group is then scrolled into view together with its legend and its error
 * message.
 */
export function focusFirstError(form: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!(field instanceof HTMLFieldSetElement)) return field?.focus();
    field.querySelector('input')?.focus({ preventScroll: true });
    field.scrollIntoView({ block: 'start' });
  });
}
