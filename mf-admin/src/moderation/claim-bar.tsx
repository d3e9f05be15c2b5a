import type { CaseView } from '@alpenglow/domain/contracts';
import { Button, useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { useClaim } from './use-claim.ts';
import styles from './case-page.module.css';

export interface ClaimBarProps {
  readonly view: CaseView;
  /** True if the page shows the form for a decision, which has its own button for a lost claim. */
  readonly hasForm: boolean;
  /** Called when the moderator has released the case. */
  readonly onReleased: () => void;
}

/** Shows which moderator has claimed a moderation case. For half an hour, only this moderator can decide the case. */
export function ClaimBar({ view: { id, state, claim, canClaim, canDecide }, hasForm, onReleased }: ClaimBarProps) {
  const t = useText();
  const locale = useLocale();
  const change = useClaim(id, (action) => {
    if (action === 'release') onReleased();
  });
  if (state === 'decided') return null;
  const until = claim === null ? null : new Date(claim.until).toLocaleTimeString(locale, { timeStyle: 'short' });
  return (
    <div className={styles['claim']}>
      <p role="status">
        {claim?.isMine === true
          ? t('moderation.yoursUntil', { time: until ?? '' })
          : claim !== null
            ? t('moderation.theirsUntil', { name: claim.by?.name ?? t('moderation.gone'), time: until ?? '' })
            : canClaim
              ? t('moderation.claimFirst')
              : t('moderation.notForYou')}
      </p>
      {canClaim && !canDecide && !hasForm && (
        <Button variant="primary" busy={change.isPending} onClick={() => change.mutate('claim')}>
          {t('moderation.claim')}
        </Button>
      )}
      {claim?.isMine === true && (
        <Button busy={change.isPending} onClick={() => change.mutate('release')}>
          {t('moderation.release')}
        </Button>
      )}
    </div>
  );
}
