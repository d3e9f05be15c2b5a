import {
  APPEAL_OUTCOMES,
  decideAppealFields,
  type CaseView,
  type DecideAppealFields,
} from '@alpenglow/domain/contracts';
import { DecisionForm } from './decision-form.tsx';
import { useText } from '../text.ts';
import { useDecide } from './use-decide.ts';

/** The form for an appeal. A moderator who did not make the decision upholds or reverses it. */
export function AppealReview({ view: { id, now } }: { readonly view: CaseView }) {
  const t = useText();
  const decide = useDecide(
    (calls, decision: DecideAppealFields) => calls.decideAppeal(id, { ...decision, revision: now.revision }),
    () => true,
  );
  return (
    <DecisionForm
      outcomes={APPEAL_OUTCOMES.map((outcome) => ({
        outcome,
        label: t(`moderation.appealDo.${outcome}`),
        hint: t(`moderation.appealDoText.${outcome}`),
      }))}
      validate={(values) => decideAppealFields.safeParse(values)}
      sending={decide}
      onDecide={(decision) => decide.mutate(decision)}
    />
  );
}
