import { useState } from 'react';
import {
  decideCaseFields,
  HOUSE_RULE_IDS,
  type CaseView,
  type DecideCaseFields,
  type HouseRule,
  type ReportReason,
} from '@alpenglow/domain/contracts';
import { Card, ConfirmDialog, Field, Select } from '@alpenglow/ui';
import { OutcomeBadge } from './case-facts.tsx';
import { DecisionForm } from './decision-form.tsx';
import { useText } from './text.ts';
import { useDeciding } from './use-deciding.ts';
import styles from './case-page.module.css';

/** The rule a reason of a report points to. */
const RULE_OF: Readonly<Record<ReportReason, HouseRule>> = {
  under_age: 'under_age',
  forced: 'forced',
  my_content: 'consent',
  stolen: 'stolen',
  illegal: 'illegal',
  spam: 'spam',
  other: 'other',
  known_image: 'illegal',
};

/** The decision: what happens, by which rule, on which facts. What takes something from somebody is asked for once more. */
export function DecideForm({ view: { id, outcomes, reasons } }: { readonly view: CaseView }) {
  const t = useText();
  const [rule, setRule] = useState<HouseRule>(() => RULE_OF[reasons[0]?.reason ?? 'other']);
  const [asked, setAsked] = useState<DecideCaseFields | null>(null);
  const decide = useDeciding((calls, decision: DecideCaseFields) => calls.decide(id, decision));
  return (
    <Card>
      <section className={styles['section']} aria-labelledby="decide">
        <h2 id="decide">{t('moderation.decide')}</h2>
        <DecisionForm
          outcomes={outcomes.map((outcome) => ({
            outcome,
            label: t(`moderation.do.${outcome}`),
            hint: t(`moderation.doText.${outcome}`),
          }))}
          check={(entered) => decideCaseFields.safeParse({ ...entered, rule })}
          sending={decide}
          onDecide={(decision) => (decision.outcome === 'kept' ? decide.mutate(decision) : setAsked(decision))}
        >
          {(errorOf) => (
            <Field label={t('moderation.ruleLabel')} hint={t('moderation.ruleHint')} error={errorOf('rule')}>
              <Select
                value={rule}
                onChange={({ target }) => setRule(HOUSE_RULE_IDS.find((one) => one === target.value) ?? 'other')}
              >
                {HOUSE_RULE_IDS.map((one) => (
                  <option key={one} value={one}>
                    {t(`moderation.rule.${one}`)}
                  </option>
                ))}
              </Select>
            </Field>
          )}
        </DecisionForm>
        <ConfirmDialog
          open={asked !== null}
          title={t('moderation.confirmTitle')}
          confirmLabel={t('moderation.decideNow')}
          cancelLabel={t('common.cancel')}
          danger
          busy={decide.isPending}
          onCancel={() => setAsked(null)}
          onConfirm={() => {
            if (asked === null) return;
            setAsked(null);
            decide.mutate(asked);
          }}
        >
          {asked !== null && (
            <>
              <p>
                <OutcomeBadge outcome={asked.outcome} /> {t(`moderation.doText.${asked.outcome}`)}
              </p>
              <p>{t('moderation.confirmText')}</p>
              <p className={styles['words']} dir="auto">
                {asked.facts}
              </p>
            </>
          )}
        </ConfirmDialog>
      </section>
    </Card>
  );
}
