import { HOUSE_RULE_IDS, type HouseRule } from '@alpenglow/domain/contracts';
import { Field, Select } from '@alpenglow/ui';
import { useRef, useState, type ComponentProps } from 'react';
import { useText } from '../text.ts';

export interface RuleFieldProps extends Omit<ComponentProps<typeof Select>, 'children'> {
  readonly error?: string | null | undefined;
  /** True if the first option is empty, so that no rule is chosen at first. */
  readonly hasEmptyOption?: boolean;
}

/** The field for the house rule that was violated. */
export function RuleField({ error, hasEmptyOption = false, ...select }: RuleFieldProps) {
  const t = useText();
  return (
    <Field label={t('moderation.ruleLabel')} hint={t('moderation.ruleHint')} error={error}>
      <Select {...select}>
        {hasEmptyOption && <option value="">{t('moderation.chooseRule')}</option>}
        {HOUSE_RULE_IDS.map((rule) => (
          <option key={rule} value={rule}>
            {t(`moderation.rule.${rule}`)}
          </option>
        ))}
      </Select>
    </Field>
  );
}

/**
 * The choice of a house rule in the dialog of an action of an admin. No rule is chosen at first, because the
 * owner of the content reads it. `check` shows an error and returns false if none is chosen. `sent` is the rule of a
 * dialog that was checked.
 */
export function useRuleChoice() {
  const t = useText();
  const [rule, setRule] = useState<HouseRule | ''>('');
  const [isMissing, setMissing] = useState(false);
  const select = useRef<HTMLSelectElement>(null);
  const field = (
    <RuleField
      ref={select}
      required
      hasEmptyOption
      error={isMissing ? t('moderation.ruleMissing') : null}
      value={rule}
      onChange={({ target }) => {
        setRule(target.value as HouseRule | '');
        setMissing(false);
      }}
    />
  );
  return {
    sent: rule === '' ? 'other' : rule,
    field,
    check: (): boolean => {
      setMissing(rule === '');
      if (rule === '') select.current?.focus();
      return rule !== '';
    },
    reset: () => {
      setRule('');
      setMissing(false);
    },
  } as const;
}
