import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { UserView } from '@alpenglow/domain/contracts';
import { Badge, Button, classNames, ErrorBox, layout, messageOf, Skeleton, useApi, useHost } from '@alpenglow/ui';
import { SESSIONS_KEY } from '../sessions/sessions-key.ts';
import { twoStepKey, twoStepQuery } from './api.ts';
import { SetUpDialog } from './set-up-dialog.tsx';
import { SwitchOffDialog } from './switch-off-dialog.tsx';
import { useText } from './text.ts';
import account from '../account.module.css';
import styles from './two-step.module.css';

/** The section about two-step sign-in, with its state and the buttons that change it. */
export function TwoStepSection({ user }: { readonly user: UserView }) {
  const t = useText();
  const api = useApi();
  const { updateUser } = useHost();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<'set up' | 'switch off' | null>(null);
  const { data, error, isPending, refetch } = useQuery(twoStepQuery(api, user.id));
  const onChanged = (twoStep: boolean) => {
    updateUser({ ...user, twoStep });
    for (const queryKey of [twoStepKey(user.id), SESSIONS_KEY]) void queryClient.invalidateQueries({ queryKey });
  };

  return (
    <section className={account['form']} aria-labelledby="two-step">
      <h3 id="two-step" className={classNames(layout['row2'], layout['centered'])}>
        {t('twoStep.title')}{' '}
        {data && (
          <Badge tone={data.enabled ? 'success' : 'neutral'}>{t(data.enabled ? 'twoStep.on' : 'twoStep.off')}</Badge>
        )}
      </h3>
      <p>{t('twoStep.text')}</p>
      {!user.isEmailVerified && <p>{t('twoStep.needsEmail')}</p>}
      {user.isEmailVerified && isPending && <Skeleton width="10rem" height="2.5rem" />}
      {error && <ErrorBox message={messageOf(error, t('twoStep.failed'))} onRetry={() => void refetch()} />}
      {data?.required === true && !data.enabled && <p className={styles['required']}>{t('twoStep.required')}</p>}
      {data?.enabled === true && <p>{t('twoStep.codesLeft', { count: data.recoveryCodesLeft })}</p>}
      {data && user.isEmailVerified && (
        <div>
          {data.enabled ? (
            <Button onClick={() => setOpen('switch off')}>{t('twoStep.switchOff')}</Button>
          ) : (
            <Button variant="primary" onClick={() => setOpen('set up')}>
              {t('twoStep.setUp')}
            </Button>
          )}
        </div>
      )}
      {open === 'set up' && (
        <SetUpDialog email={user.email} onEnabled={() => onChanged(true)} onClose={() => setOpen(null)} />
      )}
      {open === 'switch off' && (
        <SwitchOffDialog email={user.email} onDisabled={() => onChanged(false)} onClose={() => setOpen(null)} />
      )}
    </section>
  );
}
