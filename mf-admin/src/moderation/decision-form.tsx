import type { ReactNode } from 'react';
import { useForm, useWatch, type UseFormRegisterReturn } from 'react-hook-form';
import { FACTS_MAX, HOUSE_RULE_IDS, type CaseView, type HouseRule } from '@alpenglow/domain/contracts';
import {
  Button,
  classNames,
  createResolver,
  ErrorBox,
  Field,
  layout,
  messageOf,
  Radio,
  RadioGroup,
  RestoredText,
  TextArea,
  useFormDraft,
  useServerErrors,
  type TextDraft,
  type ValidationResult,
} from '@alpenglow/ui';
import { ClaimNotice } from './claim-notice.tsx';
import type { DecisionValues } from './decision-values.ts';
import { SavedReasons } from './saved-reasons.tsx';
import { useClaimRenewal } from './use-claim-renewal.ts';
import type { SentDecision } from './use-decide.ts';
import { useText } from '../text.ts';
import styles from './case-page.module.css';

export interface DecisionFormProps<Outcome extends string, Fields extends object> {
  readonly view: CaseView;
  /** The draft of the form, which the parent deletes when the decision is saved. */
  readonly draft: TextDraft;
  readonly outcomes: readonly { readonly outcome: Outcome; readonly label: string; readonly hint: string }[];
  readonly defaultRule?: HouseRule;
  readonly validate: (values: DecisionValues<Outcome>) => ValidationResult<Fields>;
  readonly sending: { readonly isPending: boolean; readonly isError: boolean; readonly error: unknown };
  readonly onDecide: (sent: SentDecision<Fields>) => void;
  /** Renders the field for the violated rule. The field is between the outcome and the facts. */
  readonly renderRule?: (
    registration: UseFormRegisterReturn,
    error: string | undefined,
    chosen: Pick<DecisionValues<Outcome>, 'outcome' | 'rule'>,
  ) => ReactNode;
  /** Renders further fields for the chosen outcome. They are below the outcomes. */
  readonly renderDetails?: (outcome: string | null) => ReactNode;
}

/**
 * The common part of all forms for moderation decisions. It contains the fields for the outcome and the facts. While
 * the moderator types, the claim is renewed.
 */
export function DecisionForm<Outcome extends string, Fields extends object>({
  view,
  draft,
  outcomes,
  defaultRule,
  validate,
  sending,
  onDecide,
  renderRule,
  renderDetails,
}: DecisionFormProps<Outcome, Fields>) {
  const t = useText();
  const serverErrors = useServerErrors<DecisionValues<string>>(sending.error);
  const empty: DecisionValues<string> = { outcome: null, rule: defaultRule, facts: '' };
  const form = useForm<DecisionValues<string>, unknown, Fields>({
    defaultValues: {
      outcome: outcomes.find(({ outcome }) => outcome === draft.texts['outcome'])?.outcome ?? empty.outcome,
      rule: HOUSE_RULE_IDS.find((rule) => rule === draft.texts['rule']) ?? empty.rule,
      facts: draft.texts['facts'] ?? empty.facts,
    },
    resolver: createResolver((values) => validate(values as DecisionValues<Outcome>)),
    ...(serverErrors && { errors: serverErrors }),
  });
  const { register, control, handleSubmit, formState, reset, setValue } = form;
  const [outcome, rule] = useWatch({ control, name: ['outcome', 'rule'] });
  useFormDraft(form, (values) =>
    draft.save(
      values.facts.trim() === '' ? {} : { outcome: values.outcome ?? '', rule: values.rule ?? '', facts: values.facts },
    ),
  );
  const onInput = useClaimRenewal(view);
  const { errors } = formState;
  const submit = (isNext: boolean) => handleSubmit((decision) => onDecide({ decision, isNext }));
  return (
    <form noValidate className={styles['form']} onInput={onInput} onSubmit={(event) => void submit(false)(event)}>
      <RestoredText draft={draft} onDiscard={() => reset(empty)} />
      <RadioGroup legend={t('moderation.outcomeLabel')} error={errors.outcome?.message}>
        {/* Only the chosen outcome has a hint, so that the whole form is visible on a wide screen. */}
        <div className={styles['outcomes']}>
          {outcomes.map(({ outcome: value, label }) => (
            <Radio key={value} value={value} label={label} {...register('outcome')} />
          ))}
        </div>
        <p className={styles['facts']} aria-live="polite">
          {outcomes.find(({ outcome: value }) => value === outcome)?.hint}
        </p>
      </RadioGroup>
      {renderDetails?.(outcome)}
      {renderRule?.(register('rule'), errors.rule?.message, { outcome: outcome as Outcome | null, rule })}
      <Field label={t('moderation.factsLabel')} hint={t('moderation.factsHint')} error={errors.facts?.message}>
        <TextArea dir="auto" required maxLength={FACTS_MAX} {...register('facts')} />
      </Field>
      <SavedReasons
        control={control}
        onChoose={(text) => setValue('facts', text, { shouldDirty: true, shouldValidate: true })}
      />
      {sending.isError && serverErrors === undefined && (
        <ErrorBox message={messageOf(sending.error, t('moderation.decideFailed'))} />
      )}
      <ClaimNotice view={view} />
      <div className={classNames(layout['row2'], styles['buttons'])}>
        <Button type="submit" variant="primary" busy={sending.isPending} disabled={!view.canDecide}>
          {t('moderation.decide')}
        </Button>
        <Button disabled={!view.canDecide || sending.isPending} onClick={(event) => void submit(true)(event)}>
          {t('moderation.decideNext')}
        </Button>
      </div>
    </form>
  );
}
