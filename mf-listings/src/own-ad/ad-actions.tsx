import { useState } from 'react';
import type { AdCard } from '@alpenglow/domain/contracts';
import {
  ArrowUpIcon,
  Button,
  ConfirmDialog,
  ErrorBox,
  layout,
  LinkButton,
  messageOf,
  PencilIcon,
  TrashIcon,
  useHost,
  useLocale,
} from '@alpenglow/ui';
import { useText } from './text.ts';
import { formatBumpWait } from './bump-wait.ts';
import { useAdActions } from './use-ad-actions.ts';
import { useBumpWait_ms } from './use-bump-wait.ts';
import styles from './ad-actions.module.css';

const AFTER_DELETE = '/provider-profile';

/**
 * The buttons with which owners edit, bump and delete their ad. A bump moves the ad to the top of the lists. The server
 * decides whether an action is possible, and its error message is shown unchanged.
 */
export function AdActions({ ad }: { readonly ad: Pick<AdCard, 'id' | 'lastBumpedAt' | 'status'> }) {
  const t = useText();
  const { navigate } = useHost();
  const { bump, remove } = useAdActions(ad.id);
  const [isConfirming, setConfirming] = useState(false);
  return (
    <div className={layout['stack3']}>
      <div className={styles['row']}>
        {/* A hidden ad cannot be bumped, so the button is omitted. */}
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
            setConfirming(true);
          }}
        >
          <TrashIcon />
          {t('delete')}
        </Button>
      </div>
      <p role="status" className={styles['done']}>
        {bump.isSuccess && t('ownBumped')}
      </p>
      {bump.isError && <ErrorBox message={messageOf(bump.error, t('api.bumpAdFailed'))} />}
      <ConfirmDialog
        open={isConfirming}
        title={t('deleteTitle')}
        confirmLabel={remove.isPending ? t('deleting') : t('deleteConfirm')}
        cancelLabel={t('common.cancel')}
        danger
        busy={remove.isPending}
        problem={remove.isError ? messageOf(remove.error, t('api.deleteAdFailed')) : null}
        onCancel={() => setConfirming(false)}
        onConfirm={() =>
          remove.mutate(undefined, {
            onSuccess: () => {
              setConfirming(false);
              navigate(AFTER_DELETE, { replace: true });
            },
          })
        }
      >
        <p>{t('deleteText')}</p>
      </ConfirmDialog>
    </div>
  );
}

interface BumpButtonProps {
  readonly lastBumpedAt: string;
  readonly busy: boolean;
  readonly onBump: () => void;
}

/**
 * A button that bumps the ad and shows the time until the next possible bump. While the owner must wait, the button has
 * `aria-disabled`. It does not use `disabled`, because a disabled button would lose the focus.
 */
function BumpButton({ lastBumpedAt, busy, onBump }: BumpButtonProps) {
  const t = useText();
  const locale = useLocale();
  const left_ms = useBumpWait_ms(lastBumpedAt);
  const isWaiting = left_ms > 0 || busy;
  const label = left_ms > 0 ? t('bumpIn', { left: formatBumpWait(left_ms, locale) }) : t('bump');
  return (
    <Button
      variant={left_ms > 0 ? 'secondary' : 'primary'}
      className={styles['bump']}
      aria-disabled={isWaiting || undefined}
      aria-busy={busy || undefined}
      onClick={({ detail }) => {
        // The second click of a double click may come before this button is rendered as busy.
        if (!isWaiting && detail < 2) onBump();
      }}
    >
      <ArrowUpIcon />
      {busy ? t('bumping') : label}
    </Button>
  );
}
