/** The part of a zod error that matters here. */
interface FieldIssues {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** Field name → the first thing that is wrong with it, in the words of the domain's rule. */
export function errorsByField({ issues }: FieldIssues): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const { path, message } of issues) errors[String(path[0] ?? '')] ??= message;
  return errors;
}

/** Once the errors stand beside their fields, the first of these fields takes the focus. */
export function focusFirstError(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
