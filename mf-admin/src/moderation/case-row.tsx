import type { CaseCard } from '@alpenglow/domain/contracts';
import { Badge, Button, classNames, LinkRow, TimeAgo, useHost } from '@alpenglow/ui';
import { casePath } from './api.ts';
import { CaseBadges, PersonName, useFormatCaseTitle, useFormatReasons } from './case-labels.tsx';
import { Thumbnail } from '../panel/thumbnail.tsx';
import { useText } from '../text.ts';
import { useClaim } from './use-claim.ts';
import styles from './queue-page.module.css';

interface CaseRowProps {
  readonly card: CaseCard;
  /** True if the queue no longer contains the case. The row stays until the order of the queue may change. */
  readonly isGone: boolean;
}

/** A row in a queue of moderation cases. */
export function CaseRow({ card, isGone }: CaseRowProps) {
  const t = useText();
  const titleOf = useFormatCaseTitle();
  const reasonsOf = useFormatReasons();
  const {
    id,
    owner,
    reasons,
    openedAt,
    appealedAt,
    state,
    decision,
    claim,
    picture,
    priority,
    isHidden,
    reportText,
    canClaim,
  } = card;
  return (
    <LinkRow
      className={classNames(styles['case'], picture !== null && styles['hasPicture'], isGone && styles['gone'])}
      to={casePath(id)}
      lead={
        <>
          {picture !== null && (
            <Thumbnail className={styles['picture']} url={picture} isBlurred={priority === 'high' || isHidden} />
          )}
          <p className={styles['badges']}>
            <CaseBadges card={card} />
          </p>
        </>
      }
      title={<bdi>{titleOf(card)}</bdi>}
      details={
        <>
          {reportText !== null && (
            <span className={styles['report']} dir="auto">
              {t('moderation.quoted', { text: reportText })}
            </span>
          )}
          {reasons.length > 0 && <>{reasonsOf(reasons)} · </>}
          <PersonName person={owner} /> ·{' '}
          {state === 'decided' && decision !== null ? (
            <>
              {t('moderation.decided')} <TimeAgo at={decision.at} />
            </>
          ) : (
            <>
              {t('moderation.waits')} <TimeAgo at={appealedAt ?? openedAt} />
            </>
          )}
        </>
      }
      aside={
        isGone ? (
          <Badge>{t('moderation.notInQueue')}</Badge>
        ) : (
          state !== 'decided' &&
          claim === null &&
          (canClaim !== false ? <ClaimButton id={id} /> : <Badge>{t('moderation.ownCase')}</Badge>)
        )
      }
    />
  );
}

/** A button that claims a moderation case for the signed-in moderator and then opens the page of the case. */
function ClaimButton({ id }: { readonly id: string }) {
  const t = useText();
  const { navigate } = useHost();
  const claim = useClaim(id, () => navigate(casePath(id)));
  return (
    <Button size="small" busy={claim.isPending} onClick={() => claim.mutate('claim')}>
      {t('moderation.claim')}
    </Button>
  );
}
