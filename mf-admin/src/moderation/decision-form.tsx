import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { FACTS_MAX } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, Field, isApiError, messageOf, Radio, RadioGroup, TextArea } from '@alpenglow/ui';
import { useText } from './text.ts';
import styles from './case-page.module.css';

/** What a schema of the domain answers. */
type Checked<Fields> =
  | { readonly success: true; readonly data: Fields }
  | {
      readonly success: false;
      readonly error: {
        readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
      };
    };

export interface DecisionFormProps<Outcome extends string, Fields> {
  readonly outcomes: readonly { readonly outcome: Outcome; readonly label: string; readonly hint: string }[];
  readonly check: (entered: { readonly outcome: Outcome | null; readonly facts: string }) => Checked<Fields>;
  /** How the sending of it stands. */
  readonly sending: { readonly isPending: boolean; readonly isError: boolean; readonly error: unknown };
  readonly onDecide: (decision: Fields) => void;
  /** Fields between what happens and the facts; told what is wrong with each. */
  readonly children?: (errorOf: (field: string) => string | undefined) => ReactNode;
}

/** What every decision of a moderator has: what happens, and on which facts. */
export function DecisionForm<Outcome extends string, Fields>({
  outcomes,
  check,
  sending,
  onDecide,
  children,
}: DecisionFormProps<Outcome, Fields>) {
  const t = useText();
  const name = useId();
  const [chosen, setChosen] = useState<Outcome | null>(null);
  const [facts, setFacts] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const refused = isApiError(sending.error) ? sending.error.fields : {};
  const errorOf = (field: string) => errors[field] ?? refused[field];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const checked = check({ outcome: chosen, facts });
    setErrors(
      checked.success
        ? {}
        : Object.fromEntries(checked.error.issues.map(({ path, message }) => [String(path[0]), message])),
    );
    if (checked.success) onDecide(checked.data);
  };
  return (
    <form noValidate className={styles['form']} onSubmit={submit}>
      <RadioGroup legend={t('moderation.outcomeLabel')} error={errorOf('outcome')}>
        {outcomes.map(({ outcome, label, hint }) => (
          <Radio
            key={outcome}
            name={name}
            value={outcome}
            checked={chosen === outcome}
            onChange={() => setChosen(outcome)}
            label={label}
            hint={hint}
          />
        ))}
      </RadioGroup>
      {children?.(errorOf)}
      <Field label={t('moderation.factsLabel')} hint={t('moderation.factsHint')} error={errorOf('facts')}>
        <TextArea
          dir="auto"
          required
          maxLength={FACTS_MAX}
          value={facts}
          onChange={({ target }) => setFacts(target.value)}
        />
      </Field>
      {sending.isError && Object.keys(refused).length === 0 && (
        <ErrorBox message={messageOf(sending.error, t('moderation.decideFailed'))} />
      )}
      <Button type="submit" variant="primary" busy={sending.isPending}>
        {t('moderation.decideNow')}
      </Button>
    </form>
  );
}
