import { useState } from 'react';
import {
  decideCaseFields,
  HOUSE_RULE_IDS,
  DEFAULT_RULE_BY_REASON,
  type CaseView,
  type DecideCaseFields,
} from '@alpenglow/domain/contracts';
import { ConfirmDialog, Field, messageOf, Select, useTextDraft } from '@alpenglow/ui';
import { OutcomeBadge } from './case-labels.tsx';
import { CaseSection } from './case-section.tsx';
import { DecisionForm } from './decision-form.tsx';
import { useText } from '../text.ts';
import { useDecide } from './use-decide.ts';
import styles from './case-page.module.css';

/**
 * The form in which a moderator enters the outcome, the violated rule and the facts of a decision. A decision against
 * the owner of the content needs a confirmation.
 */
export function DecideForm({ view }: { readonly view: CaseView }) {
  const { id, outcomes, reasons, isHidden, now } = view;
  const t = useText();
  const draft = useTextDraft(`case.${id}.decision`, { in: 'tab' });
  const [unconfirmed, setUnconfirmed] = useState<DecideCaseFields | null>(null);
  const decide = useDecide(
    // The server does not show content again that was changed after the version on the page.
    (calls, decision: DecideCaseFields) => calls.decide(id, { ...decision, revision: now.revision }),
    // Nothing changes for the poster if visible content stays visible.
    ({ outcome }) => outcome !== 'kept' || isHidden,
    draft.clear,
  );
  return (
    <CaseSection id="decide" title={t('moderation.decide')}>
      <DecisionForm
        view={view}
        draft={draft}
        outcomes={outcomes.map((outcome) => ({
          outcome,
          label: t(`moderation.do.${outcome}`),
          hint: t(`moderation.doText.${outcome}`),
        }))}
        defaultRule={DEFAULT_RULE_BY_REASON[reasons[0]?.reason ?? 'other']}
        validate={(values) => decideCaseFields.safeParse(values)}
        sending={decide}
        onDecide={(decision) => {
          decide.reset();
          if (decision.outcome === 'kept') decide.mutate(decision);
          else setUnconfirmed(decision);
        }}
        renderRule={(registration, error) => (
          <Field label={t('moderation.ruleLabel')} hint={t('moderation.ruleHint')} error={error}>
            <Select {...registration}>
              {HOUSE_RULE_IDS.map((rule) => (
                <option key={rule} value={rule}>
                  {t(`moderation.rule.${rule}`)}
                </option>
              ))}
            </Select>
          </Field>
        )}
      />
      <ConfirmDialog
        open={unconfirmed !== null}
        title={t('moderation.confirmTitle')}
        confirmLabel={t('moderation.decide')}
        cancelLabel={t('common.cancel')}
        danger
        busy={decide.isPending}
        problem={decide.isError ? messageOf(decide.error, t('moderation.decideFailed')) : null}
        onCancel={() => setUnconfirmed(null)}
        onConfirm={() => {
          if (unconfirmed !== null) decide.mutate(unconfirmed);
        }}
      >
        {unconfirmed !== null && (
          <>
            <p>
              <OutcomeBadge outcome={unconfirmed.outcome} /> {t(`moderation.doText.${unconfirmed.outcome}`)}
            </p>
            <p>{t('moderation.confirmText')}</p>
            <p className={styles['words']} dir="auto">
              {unconfirmed.facts}
            </p>
          </>
        )}
      </ConfirmDialog>
    </CaseSection>
  );
}
