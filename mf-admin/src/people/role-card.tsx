import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AdminUserDetail, DoneAnswer } from '@alpenglow/domain/contracts';
import { Button, Card, messageOf, Radio, RadioGroup, useApi, useHost, useUser } from '@alpenglow/ui';
import { ReasonDialog } from '../panel/reason-dialog.tsx';
import { PEOPLE_KEY } from './calls.ts';
import { useText } from './text.ts';
import styles from './user-page.module.css';

const ROLES = ['none', 'moderator', 'admin'] as const;
type Choice = (typeof ROLES)[number];

/** What somebody may do beyond their own account, for another admin to grant and withdraw, with a reason. */
export function RoleCard({
  user,
}: {
  readonly user: Pick<AdminUserDetail, 'id' | 'displayName' | 'role' | 'isConfiguredAdmin'>;
}) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const isSelf = useUser()?.id === user.id;
  const current: Choice = user.role ?? 'none';
  const [chosen, setChosen] = useState<Choice>(current);
  const [isAsking, setIsAsking] = useState(false);
  const change = useMutation({
    mutationFn: (reason: string) =>
      api.callSignedIn<DoneAnswer>({
        method: 'PUT',
        path: `/admin/users/${encodeURIComponent(user.id)}/role`,
        body: { role: chosen === 'none' ? null : chosen, reason },
      }),
    onSuccess: () => notify({ text: t('people.roleChanged', { name: user.displayName }), tone: 'success' }),
    onError: (error) => notify({ text: messageOf(error, t('people.roleFailed')), tone: 'danger' }),
    onSettled: () => {
      setIsAsking(false);
      return queryClient.invalidateQueries({ queryKey: PEOPLE_KEY });
    },
  });
  return (
    <Card>
      <h2>{t('people.role')}</h2>
      {isSelf && <p>{t('people.roleOwn')}</p>}
      {user.isConfiguredAdmin && <p>{t('people.roleConfigured')}</p>}
      {!isSelf && (
        <>
          <RadioGroup legend={t('people.roleOf', { name: user.displayName })}>
            {ROLES.map((role) => (
              <Radio
                key={role}
                name="role"
                label={t(role === 'none' ? 'people.noRole' : `people.${role}`)}
                checked={chosen === role}
                onChange={() => setChosen(role)}
              />
            ))}
          </RadioGroup>
          <div className={styles['ways']}>
            <Button disabled={chosen === current} onClick={() => setIsAsking(true)}>
              {t('people.roleChange')}
            </Button>
          </div>
        </>
      )}
      {isAsking && (
        <ReasonDialog
          title={t('people.roleTitle', { name: user.displayName })}
          confirmLabel={t('people.roleChange')}
          isBusy={change.isPending}
          onClose={() => setIsAsking(false)}
          onConfirm={(reason) => change.mutate(reason)}
        >
          <p>{t(`people.roleText.${chosen}`)}</p>
        </ReasonDialog>
      )}
    </Card>
  );
}
