import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router-dom';
import type { AdminUserDetailView } from '@alpenglow/domain/contracts';
import {
  Breadcrumbs,
  Button,
  Card,
  isApiError,
  LinkButton,
  Loading,
  Page,
  QueryError,
  useApi,
  useUser,
} from '@alpenglow/ui';
import { ListHeader } from '../panel/list-header.tsx';
import { userQuery } from './api.ts';
import { ModerationCards } from './moderation-cards.tsx';
import { RoleCard } from './role-card.tsx';
import { PersonDataCard } from './person-data/person-data-card.tsx';
import { useText } from '../text.ts';
import { useUserAction } from './use-user-action.tsx';
import { AdCard, CodeCard, CountsCard, ProfileCard } from './user-cards.tsx';
import { UserBadges } from './user-badges.tsx';
import cards from '../panel/cards.module.css';
import styles from './user-page.module.css';

/** The page `/admin/users/:id`, which shows the data of one user and the actions on the account. */
export default function UserPage() {
  const t = useText();
  const { id = '' } = useParams();
  const result = useQuery(userQuery(useApi(), id));
  // Status 404 means that the account was closed or erased. The cached data of the account is therefore hidden.
  const isGone = isApiError(result.error) && result.error.status === 404;
  const user = isGone ? undefined : result.data?.data;
  const name = user?.displayName ?? t('people.one');
  return (
    <Page>
      <Breadcrumbs items={[{ label: t('nav.users'), to: '/admin/users' }, { label: name }]} />
      <ListHeader title={name} documentTitle={t('people.one')}>
        {user && <UserBadges user={user} />}
      </ListHeader>
      {result.isPending && <Loading height="20rem" />}
      {result.isError && !isGone && <QueryError query={result} text={t('people.loadFailed')} />}
      {user && <Cards user={user} />}
      {isGone && <ClosedAccount id={id} />}
    </Page>
  );
}

/** Shows a closed account. An admin can put the remaining data of the account on legal hold or erase it. */
function ClosedAccount({ id }: { readonly id: string }) {
  const t = useText();
  return (
    <div className={cards['cards']}>
      <Card>
        <h2>{t('people.gone')}</h2>
        <p>{t('people.goneText')}</p>
        <div className={styles['ways']}>
          <LinkButton to={`/admin/users/${encodeURIComponent(id)}/history`}>{t('people.history')}</LinkButton>
        </div>
      </Card>
      <PersonDataCard userId={id} user={null} />
    </div>
  );
}

function Cards({ user }: { readonly user: AdminUserDetailView }) {
  const t = useText();
  const navigate = useNavigate();
  const isSelf = useUser()?.id === user.id;
  const userAction = useUserAction(() => void navigate('/admin/users'));
  return (
    <div className={cards['cards']}>
      <ProfileCard user={user} />
      <Card>
        <h2>{t('table.actions')}</h2>
        {user.verified && <p>{t('people.alreadyVerified')}</p>}
        <div className={styles['ways']}>
          <LinkButton to={`/admin/users/${user.id}/history`}>{t('people.history')}</LinkButton>
          <Button disabled={user.verified} onClick={() => userAction.openDialog('verify', user)}>
            {t('people.verify')}
          </Button>
          <Button variant="danger" disabled={isSelf} onClick={() => userAction.openDialog('close', user)}>
            {t('people.close')}
          </Button>
        </div>
      </Card>
      <AdCard ad={user.ad} />
      <CodeCard code={user.code} onClear={() => userAction.openDialog('clearCode', user)} />
      <ModerationCards moderation={user.moderation} />
      <CountsCard counts={user.counts} />
      <RoleCard key={user.role} user={user} />
      <PersonDataCard userId={user.id} user={user} />
      {userAction.dialog}
    </div>
  );
}
