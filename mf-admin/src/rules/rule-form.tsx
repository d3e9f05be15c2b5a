import { useEffect, useRef, useState, type FormEvent } from 'react';
import {
  CATEGORIES,
  HOUSE_RULE_IDS,
  RULE_FACTS_MAX,
  RULE_TITLE_MAX,
  type HidingRuleFields,
  type HidingRuleView,
} from '@alpenglow/domain/contracts';
import { Button, Card, ErrorBox, Field, isApiError, messageOf, Select, TextArea, TextInput } from '@alpenglow/ui';
import { checkRule, NEW_RULE, valuesOf, type RuleErrors, type RuleValues } from './rule-values.ts';
import { useText } from './text.ts';
import styles from './rules-page.module.css';

export interface RuleFormProps {
  /** Null: a new one. */
  readonly of: HidingRuleView | null;
  readonly isSaving: boolean;
  readonly error: unknown;
  readonly onTry: (fields: HidingRuleFields) => void;
  readonly onSave: (fields: HidingRuleFields) => void;
  readonly onCancel: () => void;
}

/** A rule to be written: conditions, which can be tried before it is saved, and what the owner of a hidden ad reads. */
export function RuleForm({ of, isSaving, error, onTry, onSave, onCancel }: RuleFormProps) {
  const t = useText();
  const [values, setValues] = useState<RuleValues>(() => (of ? valuesOf(of) : NEW_RULE));
  const [errors, setErrors] = useState<RuleErrors>({});
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // It opens above the list, out of sight of whoever asked for it further down.
  useEffect(() => heading.current?.focus(), []);
  const refused = isApiError(error) ? error.fields : {};
  const set = (changes: Partial<RuleValues>) => setValues((before) => ({ ...before, ...changes }));
  const errorOf = (field: keyof RuleValues) => errors[field] ?? refused[field];
  const check = (isTrial: boolean, then: (fields: HidingRuleFields) => void) => {
    const checked = checkRule(values, isTrial);
    setErrors('errors' in checked ? checked.errors : {});
    if ('fields' in checked) then(checked.fields);
    // Once the errors stand beside their fields.
    else requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <Card>
      <form
        ref={form}
        noValidate
        className={styles['form']}
        aria-labelledby="rule-form"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          check(false, onSave);
        }}
      >
        <h2 ref={heading} id="rule-form" tabIndex={-1}>
          {t(of ? 'rules.edit' : 'rules.new')}
        </h2>
        <Field label={t('rules.name')} error={errorOf('title')}>
          <TextInput
            required
            maxLength={RULE_TITLE_MAX}
            autoComplete="off"
            value={values.title}
            onChange={({ target }) => set({ title: target.value })}
          />
        </Field>
        <fieldset className={styles['conditions']}>
          <legend>{t('rules.conditions')}</legend>
          <p>{t('rules.conditionsHint')}</p>
          <Field label={t('rules.phrases')} hint={t('rules.phrasesHint')} error={errorOf('phrases')} optional>
            <TextArea
              dir="auto"
              rows={3}
              value={values.phrases}
              onChange={({ target }) => set({ phrases: target.value })}
            />
          </Field>
          <div className={styles['row']}>
            <Field label={t('rules.category')} error={errorOf('category')}>
              <Select value={values.category} onChange={({ target }) => set({ category: target.value })}>
                <option value="">{t('rules.anyCategory')}</option>
                {CATEGORIES.map((category) => (
                  <option key={category} value={category}>
                    {t(`rules.categories.${category}`)}
                  </option>
                ))}
              </Select>
            </Field>
            <Field label={t('rules.age')} hint={t('rules.ageHint')} error={errorOf('youngerThanDays')} optional>
              <TextInput
                inputMode="numeric"
                autoComplete="off"
                value={values.youngerThanDays}
                onChange={({ target }) => set({ youngerThanDays: target.value })}
              />
            </Field>
            <Field label={t('rules.reports')} hint={t('rules.reportsHint')} error={errorOf('minReports')} optional>
              <TextInput
                inputMode="numeric"
                autoComplete="off"
                value={values.minReports}
                onChange={({ target }) => set({ minReports: target.value })}
              />
            </Field>
          </div>
        </fieldset>
        <Field label={t('rules.houseRule')} error={errorOf('rule')}>
          <Select value={values.rule} onChange={({ target }) => set({ rule: target.value })}>
            {HOUSE_RULE_IDS.map((rule) => (
              <option key={rule} value={rule}>
                {t(`rules.house.${rule}`)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('rules.facts')} hint={t('rules.factsHint')} error={errorOf('facts')}>
          <TextArea
            required
            dir="auto"
            rows={3}
            maxLength={RULE_FACTS_MAX}
            value={values.facts}
            onChange={({ target }) => set({ facts: target.value })}
          />
        </Field>
        {error !== null && Object.keys(refused).length === 0 && (
          <ErrorBox message={messageOf(error, t('rules.saveFailed'))} />
        )}
        <div className={styles['actions']}>
          <Button onClick={() => check(true, onTry)}>{t('rules.try')}</Button>
          <Button type="submit" variant="primary" busy={isSaving}>
            {t('rules.save')}
          </Button>
          <Button variant="quiet" onClick={onCancel}>
            {t('rules.cancel')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
