/** A text with its `{parameters}` filled in. A parameter that is not given stays as it is, so that it is seen. */
export function fill(text: string, parameters: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => String(parameters[name] ?? whole));
}

/** The form of a text that goes with a number, with `{count}` filled in. */
export function fillCount(count: number, forms: { readonly one: string; readonly other: string }, locale = 'en'): string {
  const form = new Intl.PluralRules(locale).select(count) === 'one' ? forms.one : forms.other;
  return fill(form, { count: new Intl.NumberFormat(locale).format(count) });
}
