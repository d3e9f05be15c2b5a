import { useEffect, useRef } from 'react';
import { useForm } from 'react-hook-form';
import {
  CATEGORIES,
  HOUSE_RULE_IDS,
  RULE_FACTS_MAX,
  RULE_TITLE_MAX,
  type HidingRuleFields,
  type HidingRuleView,
} from '@alpenglow/domain/contracts';
import {
  Button,
  Card,
  classNames,
  createResolver,
  ErrorBox,
  Field,
  layout,
  messageOf,
  RestoredText,
  Select,
  TextArea,
  TextInput,
  useFormDraft,
  useServerErrors,
  useTextDraft,
} from '@alpenglow/ui';
import { ChoiceSelect } from '../panel/choice-select.tsx';
import { mergeRuleDraft, NEW_RULE, toRuleDraft, toRuleValues, validateRule, type RuleValues } from './rule-values.ts';
import { useText } from '../text.ts';
import { useSaveRule } from './use-save-rule.ts';
import styles from './rules-page.module.css';

export interface RuleFormProps {
  /** The hiding rule to edit, or null for a new rule. */
  readonly rule: HidingRuleView | null;
  readonly onTry: (fields: HidingRuleFields) => void;
  readonly onClose: () => void;
}

/**
 * The form for a hiding rule. It contains the conditions, which can be tried before saving, and a text for the owners
 * of hidden ads. Unsaved input is stored in this tab.
 */
export function RuleForm({ rule: of, onTry, onClose }: RuleFormProps) {
  const t = useText();
  const draft = useTextDraft(`rule.${of?.id ?? 'new'}`, { in: 'tab' });
  const initial = of ? toRuleValues(of) : NEW_RULE;
  const save = useSaveRule(of, () => {
    draft.clear();
    onClose();
  });
  const serverErrors = useServerErrors<RuleValues>(save.error);
  const form = useForm<RuleValues, unknown, HidingRuleFields>({
    defaultValues: mergeRuleDraft(initial, draft.texts),
    resolver: createResolver((values) => validateRule(values)),
    ...(serverErrors && { errors: serverErrors }),
  });
  const { register, handleSubmit, setValue, formState, reset } = form;
  useFormDraft(form, (values) => draft.save(toRuleDraft(initial, values)));
  const { errors } = formState;
  const submit = handleSubmit((fields) => save.mutate(fields));
  const submitTrial = handleSubmit((fields) => onTry(fields));
  const heading = useRef<HTMLHeadingElement>(null);
  // The heading receives the focus, so that the browser scrolls to the form. The form opens above the list and may not
  // be visible.
  useEffect(() => heading.current?.focus(), []);
  return (
    <Card>
      <form
        noValidate
        className={classNames(layout['stack4'], layout['shrink'])}
        aria-labelledby="rule-form"
        onSubmit={(event) => {
          setValue('isTrial', false);
          void submit(event);
        }}
      >
        <h2 ref={heading} id="rule-form" tabIndex={-1}>
          {t(of ? 'rules.edit' : 'rules.new')}
        </h2>
        <RestoredText draft={draft} onDiscard={() => reset(initial)} />
        <Field label={t('rules.name')} error={errors.title?.message}>
          <TextInput required maxLength={RULE_TITLE_MAX} autoComplete="off" {...register('title')} />
        </Field>
        <fieldset className={styles['conditions']}>
          <legend>{t('rules.conditions')}</legend>
          <p>{t('rules.conditionsHint')}</p>
          <Field label={t('rules.phrases')} hint={t('rules.phrasesHint')} error={errors.phrases?.message} optional>
            <TextArea dir="auto" rows={3} {...register('phrases')} />
          </Field>
          <div className={styles['row']}>
            <ChoiceSelect
              label={t('field.category')}
              error={errors.category?.message}
              anyLabel={t('rules.anyCategory')}
              choices={CATEGORIES}
              labelOf={(category) => t(`rules.categories.${category}`)}
              {...register('category')}
            />
            <Field label={t('rules.age')} hint={t('rules.ageHint')} error={errors.youngerThanDays?.message} optional>
              <TextInput inputMode="numeric" autoComplete="off" {...register('youngerThanDays')} />
            </Field>
            <Field label={t('rules.reports')} hint={t('rules.reportsHint')} error={errors.minReports?.message} optional>
              <TextInput inputMode="numeric" autoComplete="off" {...register('minReports')} />
            </Field>
          </div>
        </fieldset>
        <Field label={t('rules.houseRule')} error={errors.rule?.message}>
          <Select {...register('rule')}>
            {HOUSE_RULE_IDS.map((rule) => (
              <option key={rule} value={rule}>
                {t(`moderation.rule.${rule}`)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('rules.facts')} hint={t('rules.factsHint')} error={errors.facts?.message}>
          <TextArea required dir="auto" rows={3} maxLength={RULE_FACTS_MAX} {...register('facts')} />
        </Field>
        {save.isError && serverErrors === undefined && (
          <ErrorBox message={messageOf(save.error, t('rules.saveFailed'))} />
        )}
        <div className={styles['actions']}>
          <Button
            onClick={() => {
              setValue('isTrial', true);
              void submitTrial();
            }}
          >
            {t('rules.try')}
          </Button>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {t('save')}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
