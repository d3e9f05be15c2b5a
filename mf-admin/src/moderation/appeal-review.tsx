import {
  APPEAL_OUTCOMES,
  decideAppealFields,
  type CaseView,
  type DecideAppealFields,
} from '@alpenglow/domain/contracts';
import { useTextDraft } from '@alpenglow/ui';
import { DecisionForm } from './decision-form.tsx';
import { useText } from '../text.ts';
import { useDecide } from './use-decide.ts';

/** The form for an appeal. A moderator who did not make the decision upholds or reverses it. */
export function AppealReview({ view }: { readonly view: CaseView }) {
  const { id, now, decisions } = view;
  const t = useText();
  // A granted appeal against the closing of an account does not open the account again.
  const isClosing = decisions.some(
    ({ outcome, appeal }) => outcome === 'account_closed' && appeal !== null && appeal.outcome === null,
  );
  const draft = useTextDraft(`case.${id}.appeal`, { in: 'tab' });
  const decide = useDecide(
    id,
    (calls, decision: DecideAppealFields) => calls.decideAppeal(id, { ...decision, revision: now.revision }),
    () => true,
    draft.clear,
  );
  return (
    <DecisionForm
      view={view}
      draft={draft}
      outcomes={APPEAL_OUTCOMES.map((outcome) => ({
        outcome,
        label: t(`moderation.appealDo.${outcome}`),
        hint:
          outcome === 'overturned' && isClosing
            ? t('moderation.appealDoText.accountClosed')
            : t(`moderation.appealDoText.${outcome}`),
      }))}
      validate={(values) => decideAppealFields.safeParse(values)}
      sending={decide}
      onDecide={decide.mutate}
    />
  );
}
