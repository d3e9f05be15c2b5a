import { APPEAL_OUTCOMES, decideAppealFields, type DecideAppealFields } from '@alpenglow/domain/contracts';
import { DecisionForm } from './decision-form.tsx';
import { useText } from './text.ts';
import { useDeciding } from './use-deciding.ts';

/** Another moderator's word on a decision: it stands, or it does not. */
export function AppealReview({ id }: { readonly id: string }) {
  const t = useText();
  const decide = useDeciding((calls, decision: DecideAppealFields) => calls.decideAppeal(id, decision));
  return (
    <DecisionForm
      outcomes={APPEAL_OUTCOMES.map((outcome) => ({
        outcome,
        label: t(`moderation.appealDo.${outcome}`),
        hint: t(`moderation.appealDoText.${outcome}`),
      }))}
      check={(entered) => decideAppealFields.safeParse(entered)}
      sending={decide}
      onDecide={(decision) => decide.mutate(decision)}
    />
  );
}
