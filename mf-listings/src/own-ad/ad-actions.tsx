import { useState } from 'react';
import type { AdCard } from '@alpenglow/domain/contracts';
import {
  ArrowUpIcon,
  Button,
  ConfirmDialog,
  ErrorBox,
  LinkButton,
  messageOf,
  PencilIcon,
  TrashIcon,
  useHost,
  useLocale,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { bumpLeftInWords } from './bump-time.ts';
import { useAdActions } from './use-ad-actions.ts';
import { useBumpLeft_ms } from './use-bump-left.ts';
import styles from './ad-actions.module.css';

const AFTER_DELETE = '/provider-profile';

/** What an owner may do: edit, bump, delete. The server decides; its refusal, with the time left, is shown as it says it. */
export function AdActions({ ad }: { readonly ad: Pick<AdCard, 'id' | 'lastBumpedAt' | 'status'> }) {
  const t = useText();
  const { navigate } = useHost();
  const { bump, remove } = useAdActions(ad.id);
  const [isAsking, setAsking] = useState(false);
  return (
    <div className={styles['actions']}>
      <div className={styles['row']}>
        {/* What nobody sees cannot go to the top. */}
        {ad.status === 'active' && (
          <BumpButton lastBumpedAt={ad.lastBumpedAt} busy={bump.isPending} onBump={() => bump.mutate()} />
        )}
        <LinkButton to={`/edit/${ad.id}`}>
          <PencilIcon />
          {t('edit')}
        </LinkButton>
        <Button
          variant="danger"
          onClick={() => {
            remove.reset();
            setAsking(true);
          }}
        >
          <TrashIcon />
          {t('delete')}
        </Button>
      </div>
      <p role="status" className={styles['done']}>
        {bump.isSuccess && t('bumped')}
      </p>
      {bump.isError && <ErrorBox message={messageOf(bump.error, t('api.bumpAdFailed'))} />}
      <ConfirmDialog
        open={isAsking}
        title={t('deleteTitle')}
        confirmLabel={remove.isPending ? t('deleting') : t('deleteConfirm')}
        cancelLabel={t('common.cancel')}
        danger
        busy={remove.isPending}
        onCancel={() => {
          if (!remove.isPending) setAsking(false);
        }}
        onConfirm={() =>
          remove.mutate(undefined, {
            onSuccess: () => {
              setAsking(false);
              navigate(AFTER_DELETE, { replace: true });
            },
          })
        }
      >
        <p>{t('deleteText')}</p>
        {remove.isError && <ErrorBox message={messageOf(remove.error, t('api.deleteAdFailed'))} />}
      </ConfirmDialog>
    </div>
  );
}

interface BumpButtonProps {
  readonly lastBumpedAt: string;
  readonly busy: boolean;
  readonly onBump: () => void;
}

/** While the cooldown runs, it says how long and does nothing. It keeps the focus then, which `disabled` would lose. */
function BumpButton({ lastBumpedAt, busy, onBump }: BumpButtonProps) {
  const t = useText();
  const locale = useLocale();
  const left_ms = useBumpLeft_ms(lastBumpedAt);
  const isWaiting = left_ms > 0 || busy;
  const label = left_ms > 0 ? t('bumpIn', { left: bumpLeftInWords(left_ms, locale) }) : t('bump');
  return (
    <Button
      variant={left_ms > 0 ? 'secondary' : 'primary'}
      className={styles['bump']}
      aria-disabled={isWaiting || undefined}
      aria-busy={busy || undefined}
      onClick={() => !isWaiting && onBump()}
    >
      <ArrowUpIcon />
      {busy ? t('bumping') : label}
    </Button>
  );
}
