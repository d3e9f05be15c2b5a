import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CaseView } from '@alpenglow/domain/contracts';
import { Button, messageOf, useApi, useHost, useLocale } from '@alpenglow/ui';
import { caseCalls, moderationKeys } from './calls.ts';
import { useText } from './text.ts';
import styles from './case-page.module.css';

/** Whose turn it is: a case is decided by whoever has claimed it, for half an hour. */
export function ClaimBar({ view: { id, state, claim, canClaim, canDecide } }: { readonly view: CaseView }) {
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (action: 'claim' | 'release') => caseCalls(api)[action](id),
    onError: (error) => notify({ text: messageOf(error, t('moderation.claimFailed')), tone: 'danger' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: moderationKeys.all }),
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
      {canClaim && !canDecide && (
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
