import type { CaseCard } from '@alpenglow/domain/contracts';
import { Button, LinkRow, TimeAgo, useHost } from '@alpenglow/ui';
import { CaseBadges, PersonName, useFormatCaseTitle, useFormatReasons } from './case-labels.tsx';
import { useText } from '../text.ts';
import { useClaim } from './use-claim.ts';
import styles from './queue-page.module.css';

const pathOf = (id: string) => `/admin/moderation/cases/${encodeURIComponent(id)}`;

/** A row in a queue of moderation cases. */
export function CaseRow({ card }: { readonly card: CaseCard }) {
  const t = useText();
  const titleOf = useFormatCaseTitle();
  const reasonsOf = useFormatReasons();
  const { id, owner, reasons, openedAt, appealedAt, state, decision, claim } = card;
  return (
    <LinkRow
      className={styles['case']}
      to={pathOf(id)}
      lead={
        <p className={styles['badges']}>
          <CaseBadges card={card} />
        </p>
      }
      title={<bdi>{titleOf(card)}</bdi>}
      details={
        <>
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
      aside={state !== 'decided' && claim === null && <ClaimButton id={id} />}
    />
  );
}

/** A button that claims a moderation case for the signed-in moderator and then opens the page of the case. */
function ClaimButton({ id }: { readonly id: string }) {
  const t = useText();
  const { navigate } = useHost();
  const claim = useClaim(id, () => navigate(pathOf(id)));
  return (
    <Button size="small" busy={claim.isPending} onClick={() => claim.mutate('claim')}>
      {t('moderation.claim')}
    </Button>
  );
}
