import type { CaseView } from '@alpenglow/domain/contracts';
import { Button, useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { useClaim } from './use-claim.ts';
import styles from './case-page.module.css';

/**
 * A note in the form for a decision. It explains why the moderator cannot decide the case any more, and offers to claim
 * the case again. The form and its text stay visible.
 */
export function ClaimNotice({ view }: { readonly view: CaseView }) {
  return <div role="status">{!view.canDecide && <LostClaim view={view} />}</div>;
}

function LostClaim({ view: { id, state, claim, canClaim } }: { readonly view: CaseView }) {
  const t = useText();
  const locale = useLocale();
  const change = useClaim(id);
  const text =
    state === 'decided'
      ? t('moderation.lostDecided')
      : claim !== null && !claim.isMine
        ? t('moderation.lostTo', {
            name: claim.by?.name ?? t('moderation.gone'),
            time: new Date(claim.until).toLocaleTimeString(locale, { timeStyle: 'short' }),
          })
        : t(canClaim ? 'moderation.lostExpired' : 'moderation.notForYou');
  return (
    <div className={styles['lost']}>
      <p>{text}</p>
      {canClaim && (
        <Button variant="primary" size="small" busy={change.isPending} onClick={() => change.mutate('claim')}>
          {t('moderation.claimAgain')}
        </Button>
      )}
    </div>
  );
}
