import {
  hidingRuleFields,
  RULE_PHRASES_MAX,
  type HidingRuleFields,
  type HidingRuleView,
} from '@alpenglow/domain/contracts';

/** What stands in the boxes of the form. */
export interface RuleValues {
  readonly title: string;
  readonly category: string;
  /** One a line. */
  readonly phrases: string;
  readonly youngerThanDays: string;
  readonly minReports: string;
  readonly rule: string;
  readonly facts: string;
}

export const NEW_RULE: RuleValues = {
  title: '',
  category: '',
  phrases: '',
  youngerThanDays: '',
  minReports: '',
  rule: 'spam',
  facts: '',
};

export function valuesOf({
  title,
  category,
  phrases,
  youngerThanDays,
  minReports,
  rule,
  facts,
}: HidingRuleView): RuleValues {
  return {
    title,
    category: category ?? '',
    phrases: phrases.join('\n'),
    youngerThanDays: youngerThanDays?.toString() ?? '',
    minReports: minReports?.toString() ?? '',
    rule,
    facts,
  };
}

export type RuleErrors = Readonly<Partial<Record<keyof RuleValues, string>>>;

/** Checks the form as the server does: the fields, or what is wrong with each. A trial needs the conditions alone. */
export function checkRule(
  values: RuleValues,
  isTrial: boolean,
): { readonly fields: HidingRuleFields } | { readonly errors: RuleErrors } {
  const phrases = values.phrases
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, RULE_PHRASES_MAX + 1);
  const number = (text: string) => (text.trim() === '' ? null : Number(text));
  const said = isTrial ? { title: 'trial', facts: 'trial' } : { title: values.title, facts: values.facts };
  const checked = hidingRuleFields.safeParse({
    ...said,
    category: values.category || null,
    phrases,
    youngerThanDays: number(values.youngerThanDays),
    minReports: number(values.minReports),
    rule: values.rule,
  });
  if (checked.success) return { fields: checked.data };
  // Of a field, what is wrong with it first.
  return {
    errors: Object.fromEntries(
      checked.error.issues.toReversed().map(({ path, message }) => [String(path[0]), message]),
    ),
  };
}
