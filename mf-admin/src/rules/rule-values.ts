import {
  hidingRuleFields,
  RULE_PHRASES_MAX,
  type HidingRuleFields,
  type HidingRuleView,
} from '@alpenglow/domain/contracts';
import type { ValidationResult } from '@alpenglow/ui';

/** Values of the fields in the form for a hiding rule. */
export interface RuleValues {
  readonly title: string;
  readonly category: string;
  /** Phrases that the rule searches for in ads, one per line. */
  readonly phrases: string;
  readonly youngerThanDays: string;
  readonly minReports: string;
  readonly rule: string;
  readonly facts: string;
  /** True if the form is validated for a trial, which needs only the conditions. */
  readonly isTrial: boolean;
}

export const NEW_RULE: RuleValues = {
  title: '',
  category: '',
  phrases: '',
  youngerThanDays: '',
  minReports: '',
  rule: 'spam',
  facts: '',
  isTrial: false,
};

export function toRuleValues(of: HidingRuleView): RuleValues {
  return {
    title: of.title,
    category: of.category ?? '',
    phrases: of.phrases.join('\n'),
    youngerThanDays: of.youngerThanDays?.toString() ?? '',
    minReports: of.minReports?.toString() ?? '',
    rule: of.rule,
    facts: of.facts,
    isTrial: false,
  };
}

type RuleTexts = Omit<RuleValues, 'isTrial'>;
const toTexts = ({ isTrial: _isTrial, ...texts }: RuleValues): RuleTexts => texts;

/** Returns the texts to store as a draft. Empty if the form is unchanged. */
export function toRuleDraft(initial: RuleValues, values: RuleValues): Readonly<Record<string, string>> {
  const texts = toTexts(values);
  return JSON.stringify(texts) === JSON.stringify(toTexts(initial)) ? {} : texts;
}

/** Returns the values of the form with the texts of a stored draft. */
export function mergeRuleDraft(initial: RuleValues, draft: Readonly<Record<string, string | undefined>>): RuleValues {
  const texts = Object.entries(toTexts(initial)).map(([name, text]) => [name, draft[name] ?? text]);
  return { ...initial, ...(Object.fromEntries(texts) as RuleTexts) };
}

/** Validates the form in the same way as the server, and returns the fields of the hiding rule. */
export function validateRule(values: RuleValues): ValidationResult<HidingRuleFields> {
  const phrases = values.phrases
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, RULE_PHRASES_MAX + 1);
  const number = (text: string) => (text.trim() === '' ? null : Number(text));
  const texts = values.isTrial ? { title: 'trial', facts: 'trial' } : { title: values.title, facts: values.facts };
  return hidingRuleFields.safeParse({
    ...texts,
    category: values.category || null,
    phrases,
    youngerThanDays: number(values.youngerThanDays),
    minReports: number(values.minReports),
    rule: values.rule,
  });
}
