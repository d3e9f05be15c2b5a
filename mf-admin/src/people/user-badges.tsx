import type { AdminUserView } from '@alpenglow/domain/contracts';
import { Badge } from '@alpenglow/ui';
import { Badges } from '../panel/list-parts.tsx';
import { useText } from '../text.ts';

/** Badges for the role and the state of a user. */
export function UserBadges({
  user: { isAdmin, isModerator, verified, isEmailVerified, isDemo },
}: {
  readonly user: Pick<AdminUserView, 'isAdmin' | 'isModerator' | 'verified' | 'isEmailVerified' | 'isDemo'>;
}) {
  const t = useText();
  return (
    <Badges>
      {isAdmin ? (
        <Badge tone="accent">{t('people.admin')}</Badge>
      ) : (
        isModerator && <Badge tone="accent">{t('people.moderator')}</Badge>
      )}
      {verified && <Badge tone="success">{t('people.verified')}</Badge>}
      {!isEmailVerified && <Badge>{t('people.mailNotVerified')}</Badge>}
      {isDemo && <Badge>{t('field.isDemo')}</Badge>}
    </Badges>
  );
}
