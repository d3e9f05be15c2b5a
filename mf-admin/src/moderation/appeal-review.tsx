import {
  APPEAL_OUTCOMES,
  decideAppealFields,
  type CaseView,
  type DecideAppealFields,
} from '@alpenglow/domain/contracts';
import { useTextDraft } from '@alpenglow/ui';
import { useState } from 'react';
import { ConfirmDecision } from './confirm-decision.tsx';
import { DecisionForm } from './decision-form.tsx';
import { useText } from '../text.ts';
import { useDecide, type SentDecision } from './use-decide.ts';

/**
 * The form for an appeal. A moderator who did not make the decision upholds or reverses it. A reversal needs a
 * confirmation, because it shows content to visitors again.
 */
export function AppealReview({ view }: { readonly view: CaseView }) {
  const { id, now, decisions } = view;
  const t = useText();
  // A granted appeal against the closing of an account does not open the account again.
  const isClosing = decisions.some(
    ({ outcome, appeal }) => outcome === 'account_closed' && appeal !== null && appeal.outcome === null,
  );
  const reversalHint = t(isClosing ? 'moderation.appealDoText.accountClosed' : 'moderation.appealDoText.overturned');
  const [unconfirmed, setUnconfirmed] = useState<SentDecision<DecideAppealFields> | null>(null);
  const draft = useTextDraft(`case.${id}.appeal`, { in: 'tab' });
  const decide = useDecide(
    id,
    (calls, decision: DecideAppealFields) => calls.decideAppeal(id, { ...decision, revision: now.revision }),
    () => true,
    draft.clear,
  );
  return (
    <>
      <DecisionForm
        view={view}
        draft={draft}
        outcomes={APPEAL_OUTCOMES.map((outcome) => ({
          outcome,
          label: t(`moderation.appealDo.${outcome}`),
          hint: outcome === 'overturned' ? reversalHint : t(`moderation.appealDoText.${outcome}`),
        }))}
        validate={(values) => decideAppealFields.safeParse(values)}
        sending={decide}
        onDecide={(sent) => {
          decide.reset();
          if (sent.decision.outcome === 'overturned') setUnconfirmed(sent);
          else decide.mutate(sent);
        }}
      />
      <ConfirmDecision
        unconfirmed={unconfirmed}
        decide={decide}
        confirmLabel={t('moderation.appealDo.overturned')}
        onCancel={() => setUnconfirmed(null)}
      >
        {() => (
          <>
            <p>{reversalHint}</p>
            <p>{t('moderation.appealConfirmText')}</p>
          </>
        )}
      </ConfirmDecision>
    </>
  );
}
