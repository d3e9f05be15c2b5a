import type { CaseCard, StaffDecisionView } from '@alpenglow/domain/contracts';
import { Badge, type BadgeProps } from '@alpenglow/ui';
import { useText } from '../text.ts';

/**
 * Shows the name of a person. A placeholder is shown if there is no person or if the account of the person is closed.
 */
export function PersonName({ person }: { readonly person: CaseCard['owner'] }) {
  const t = useText();
  return <bdi>{person === null ? t('moderation.nobody') : (person.name ?? t('moderation.gone'))}</bdi>;
}

/**
 * Returns a function that formats the title of a moderation case. The title consists of the kind of the reported
 * content, e.g. ad or post, and of the title of the content if the content has a title.
 */
export function useFormatCaseTitle(): (card: Pick<CaseCard, 'subject' | 'title'>) => string {
  const t = useText();
  return ({ subject, title }) =>
    title === null
      ? t(`moderation.kind.${subject.kind}`)
      : t('moderation.kindAndTitle', { kind: t(`moderation.kind.${subject.kind}`), title });
}

/**
 * Badges that show the priority of a moderation case, the visibility of the reported content, and the moderator who has
 * claimed the case.
 */
export function CaseBadges({ card: { priority, state, isHidden, claim, decision } }: { readonly card: CaseCard }) {
  const t = useText();
  return (
    <>
      {state === 'appealed' && <Badge tone="accent">{t('moderation.appealed')}</Badge>}
      {state !== 'decided' && priority === 'high' && <Badge tone="danger">{t('moderation.urgent')}</Badge>}
      {state === 'decided' && decision !== null && (
        <OutcomeBadge outcome={decision.outcome} isReversed={decision.isReversed} />
      )}
      {state === 'open' && decision?.changeBy != null && (
        <Badge tone="accent">{t(decision.isAutomated ? 'moderation.changeMissing' : 'moderation.changeToCheck')}</Badge>
      )}
      {isHidden && state !== 'decided' && <Badge>{t('value.hidden')}</Badge>}
      {claim !== null && (
        <Badge tone={claim.isMine ? 'success' : 'neutral'}>
          {claim.isMine
            ? t('moderation.claimedByYou')
            : t('moderation.claimedBy', { name: claim.by?.name ?? t('moderation.gone') })}
        </Badge>
      )}
    </>
  );
}

const TONES: Readonly<Record<StaffDecisionView['outcome'], NonNullable<BadgeProps['tone']>>> = {
  kept: 'success',
  warned: 'accent',
  change_requested: 'accent',
  photo_removed: 'danger',
  hidden: 'danger',
  removed: 'danger',
  account_closed: 'danger',
};

interface OutcomeBadgeProps extends Pick<StaffDecisionView, 'outcome'> {
  /** True if an appeal against the decision was granted, so that it has no effect any more. */
  readonly isReversed?: boolean;
}

/** A badge with the outcome of a decision. The outcome of a reversed decision is struck through. */
export function OutcomeBadge({ outcome, isReversed = false }: OutcomeBadgeProps) {
  const t = useText();
  if (!isReversed) return <Badge tone={TONES[outcome]}>{t(`moderation.outcome.${outcome}`)}</Badge>;
  return (
    <>
      <Badge>
        <s>{t(`moderation.outcome.${outcome}`)}</s>
      </Badge>
      <Badge tone="success">{t('moderation.reversed')}</Badge>
    </>
  );
}

/**
 * Returns a function that formats the reasons of reports with their counts, most frequent first: `Under 18 × 2, Spam`.
 */
export function useFormatReasons(): (reasons: CaseCard['reasons']) => string {
  const t = useText();
  return (reasons) =>
    reasons
      .map(({ reason, count }) =>
        count === 1
          ? t(`moderation.reason.${reason}`)
          : t('moderation.reasonTimes', { reason: t(`moderation.reason.${reason}`), count }),
      )
      .join(', ');
}
