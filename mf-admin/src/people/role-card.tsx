import { useForm, useWatch } from 'react-hook-form';
import type { AdminUserDetailView } from '@alpenglow/domain/contracts';
import { Button, Card, Radio, RadioGroup, useApi, useUser } from '@alpenglow/ui';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { USERS_KEY } from './api.ts';
import { useText } from '../text.ts';
import styles from './user-page.module.css';

const ROLES = ['none', 'moderator', 'admin'] as const;
type Choice = (typeof ROLES)[number];
type RoleUser = Pick<AdminUserDetailView, 'id' | 'displayName' | 'role' | 'isConfiguredAdmin'>;

/** Shows the staff role of a user. Admins can change the roles of other users with a reason, but not their own role. */
export function RoleCard({ user }: { readonly user: RoleUser }) {
  const t = useText();
  const isSelf = useUser()?.id === user.id;
  return (
    <Card>
      <h2>{t('field.role')}</h2>
      {isSelf && <p>{t('people.roleOwn')}</p>}
      {user.isConfiguredAdmin && <p>{t('people.roleConfigured')}</p>}
      {!isSelf && <RoleForm user={user} />}
    </Card>
  );
}

function RoleForm({ user }: { readonly user: RoleUser }) {
  const t = useText();
  const api = useApi();
  const current: Choice = user.role ?? 'none';
  const { register, control, handleSubmit } = useForm({ defaultValues: { role: current } });
  const selected = useWatch({ control, name: 'role' });
  const change = useReasonAction<Choice>({
    send: (role, reason) =>
      api.requestWithToken<'setRole'>({
        method: 'PUT',
        path: `/admin/users/${encodeURIComponent(user.id)}/role`,
        body: { role: role === 'none' ? null : role, reason },
      }),
    dialog: (role) => ({
      draftName: `role.${user.id}`,
      title: t('people.roleTitle', { name: user.displayName }),
      text: t(`people.roleText.${role}`),
      confirmLabel: t('people.roleChange'),
    }),
    doneText: () => t('people.roleChanged', { name: user.displayName }),
    failedText: () => t('people.roleFailed'),
    affectedQueries: () => ({ queryKey: USERS_KEY }),
  });
  const submit = handleSubmit(({ role }) => change.openDialog(role));
  return (
    <>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <RadioGroup legend={t('people.roleOf', { name: user.displayName })}>
          {ROLES.map((role) => (
            <Radio
              key={role}
              value={role}
              label={t(role === 'none' ? 'people.noRole' : `people.${role}`)}
              {...register('role')}
            />
          ))}
        </RadioGroup>
        <div className={styles['ways']}>
          <Button type="submit" disabled={selected === current}>
            {t('people.roleChange')}
          </Button>
        </div>
      </form>
      {change.dialog}
    </>
  );
}
