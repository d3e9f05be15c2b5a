import type { ReactNode } from 'react';
import { useForm, type UseFormRegisterReturn } from 'react-hook-form';
import { FACTS_MAX, HOUSE_RULE_IDS, type CaseView, type HouseRule } from '@alpenglow/domain/contracts';
import {
  Button,
  createResolver,
  ErrorBox,
  Field,
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
import { useClaimRenewal } from './use-claim-renewal.ts';
import { useText } from '../text.ts';
import styles from './case-page.module.css';

/** Values of the fields in the form for a moderation decision. */
interface DecisionValues<Outcome extends string> {
  readonly outcome: Outcome | null;
  /** The violated rule. It is undefined in forms without a field for the rule. */
  readonly rule?: HouseRule | undefined;
  readonly facts: string;
}

export interface DecisionFormProps<Outcome extends string, Fields extends object> {
  readonly view: CaseView;
  /** The draft of the form, which the parent deletes when the decision is saved. */
  readonly draft: TextDraft;
  readonly outcomes: readonly { readonly outcome: Outcome; readonly label: string; readonly hint: string }[];
  readonly defaultRule?: HouseRule;
  readonly validate: (values: DecisionValues<Outcome>) => ValidationResult<Fields>;
  readonly sending: { readonly isPending: boolean; readonly isError: boolean; readonly error: unknown };
  readonly onDecide: (decision: Fields) => void;
  /** Renders the field for the violated rule. The field is between the outcome and the facts. */
  readonly renderRule?: (registration: UseFormRegisterReturn, error: string | undefined) => ReactNode;
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
  const { register, handleSubmit, formState, reset } = form;
  useFormDraft(form, ({ outcome, rule, facts }) =>
    draft.save(facts.trim() === '' ? {} : { outcome: outcome ?? '', rule: rule ?? '', facts }),
  );
  const onInput = useClaimRenewal(view);
  const { errors } = formState;
  const submit = handleSubmit((decision) => onDecide(decision));
  return (
    <form noValidate className={styles['form']} onInput={onInput} onSubmit={(event) => void submit(event)}>
      <RestoredText draft={draft} onDiscard={() => reset(empty)} />
      <RadioGroup legend={t('moderation.outcomeLabel')} error={errors.outcome?.message}>
        {outcomes.map(({ outcome, label, hint }) => (
          <Radio key={outcome} value={outcome} label={label} hint={hint} {...register('outcome')} />
        ))}
      </RadioGroup>
      {renderRule?.(register('rule'), errors.rule?.message)}
      <Field label={t('moderation.factsLabel')} hint={t('moderation.factsHint')} error={errors.facts?.message}>
        <TextArea dir="auto" required maxLength={FACTS_MAX} {...register('facts')} />
      </Field>
      {sending.isError && serverErrors === undefined && (
        <ErrorBox message={messageOf(sending.error, t('moderation.decideFailed'))} />
      )}
      <ClaimNotice view={view} />
      <Button type="submit" variant="primary" busy={sending.isPending} disabled={!view.canDecide}>
        {t('moderation.decide')}
      </Button>
    </form>
  );
}
