import type { AdminUserView } from '@alpenglow/domain/contracts';
import { Choice, useUser } from '@alpenglow/ui';
import { RowActions } from '../panel/list-parts.tsx';
import { useText } from '../text.ts';
import type { useUserAction } from './use-user-action.tsx';

export interface UserActionsProps {
  readonly user: AdminUserView;
  readonly onAction: ReturnType<typeof useUserAction>['openDialog'];
}

/**
 * The menu with which an admin verifies or closes an account. Admins cannot close their own account with this
 * menu.
 */
export function UserActions({ user, onAction }: UserActionsProps) {
  const t = useText();
  const isSelf = useUser()?.id === user.id;
  return (
    <RowActions name={t('table.actionsOn', { name: user.displayName })}>
      <Choice onChoose={() => onAction('verify', user)} disabled={user.verified}>
        {t('people.verify')}
      </Choice>
      <Choice danger onChoose={() => onAction('close', user)} disabled={isSelf}>
        {t('people.close')}
      </Choice>
    </RowActions>
  );
}
