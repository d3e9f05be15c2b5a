import type { AdminUserView } from '@alpenglow/domain/contracts';
import { Button, useUser } from '@alpenglow/ui';
import { RowActions } from '../panel/list-parts.tsx';
import { useText } from '../text.ts';
import type { useUserAction } from './use-user-action.tsx';

export interface UserActionsProps {
  readonly user: AdminUserView;
  readonly onAction: ReturnType<typeof useUserAction>['openDialog'];
}

/**
 * The buttons with which an admin verifies or closes an account. Admins cannot close their own account with these
 * buttons.
 */
export function UserActions({ user, onAction }: UserActionsProps) {
  const t = useText();
  const isSelf = useUser()?.id === user.id;
  const name = user.displayName;
  return (
    <RowActions>
      <Button
        size="small"
        disabled={user.verified}
        aria-label={t('people.verifyOf', { name })}
        onClick={() => onAction('verify', user)}
      >
        {t('people.verify')}
      </Button>
      <Button
        size="small"
        variant="quiet"
        disabled={isSelf}
        aria-label={t('people.closeOf', { name })}
        onClick={() => onAction('close', user)}
      >
        {t('people.close')}
      </Button>
    </RowActions>
  );
}
