import { useId, useState } from 'react';
import type { IdentityCheckView } from '@alpenglow/domain/contracts';
import { Badge, Button, Card, layout, TimeAgo, useApi, useUser } from '@alpenglow/ui';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { useText } from '../text.ts';
import { decideIdentity, IDENTITY_KEY } from './api.ts';
import { Evidence } from './evidence.tsx';
import styles from './identity-page.module.css';

const TONES = { open: 'accent', accepted: 'success', refused: 'danger' } as const;

/**
 * An identity verification request with its pictures. An admin can accept or reject the request with a reason. The
 * admin's own request cannot be decided. A request is accepted only after all of its pictures were shown.
 */
export function CheckCard({ check }: { readonly check: IdentityCheckView }) {
  const t = useText();
  const api = useApi();
  const isSelf = useUser()?.id === check.accountId;
  const [isShown, setIsShown] = useState(false);
  const [shownPictures, setShownPictures] = useState<ReadonlySet<number>>(new Set());
  const noteId = useId();
  const isComplete = check.files > 0 && shownPictures.size >= check.files;
  const name = check.displayName ?? t('identity.gone');
  const decide = useReasonAction<'accept' | 'refuse'>({
    send: (decision, reason) => decideIdentity(api, check.accountId, decision === 'accept', reason),
    dialog: (decision) => ({
      draftName: `identity-${decision}.${check.accountId}`,
      title: t(`identity.${decision}Title`, { name }),
      text: t('identity.destroys'),
      confirmLabel: t(`identity.${decision}`),
      isDangerous: decision === 'refuse',
      hint: t('identity.reasonHint'),
    }),
    doneText: () => t('identity.decided'),
    failedText: () => t('identity.decideFailed'),
    affectedQueries: () => ({ queryKey: IDENTITY_KEY }),
  });
  return (
    <Card className={styles['check']}>
      <h2>{name}</h2>
      <p>
        <Badge tone={TONES[check.status]}>{t(`identity.${check.status}`)}</Badge> {check.email} ·{' '}
        <TimeAgo at={check.requestedAt} />
      </p>
      {check.status === 'open' && check.files > 0 && !isShown && (
        <Button onClick={() => setIsShown(true)}>{t('identity.show')}</Button>
      )}
      {isShown && check.files > 0 && (
        <div className={styles['pictures']}>
          {Array.from({ length: check.files }, (_, index) => (
            <Evidence
              key={index}
              accountId={check.accountId}
              number={index + 1}
              label={t('identity.picture', { number: index + 1, name })}
              onShown={() => setShownPictures((before) => new Set(before).add(index))}
            />
          ))}
        </div>
      )}
      {check.status === 'open' && !isSelf && (
        <>
          {!isComplete && (
            <p id={noteId} className={layout['muted']}>
              {t('identity.lookFirst')}
            </p>
          )}
          <div className={layout['row2']}>
            <Button
              variant="primary"
              disabled={!isComplete}
              aria-describedby={isComplete ? undefined : noteId}
              onClick={() => decide.openDialog('accept')}
            >
              {t('identity.accept')}
            </Button>
            <Button variant="danger" onClick={() => decide.openDialog('refuse')}>
              {t('identity.refuse')}
            </Button>
          </div>
        </>
      )}
      {decide.dialog}
    </Card>
  );
}
