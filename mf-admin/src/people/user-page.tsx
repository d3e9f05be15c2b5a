import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router-dom';
import type { AdminUserDetail } from '@alpenglow/domain/contracts';
import {
  Breadcrumbs,
  Button,
  Card,
  ErrorBox,
  isApiError,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  TimeAgo,
  useApi,
  useLocale,
  useUser,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { Facts } from '../panel/facts.tsx';
import { userQuery } from './calls.ts';
import { RoleCard } from './role-card.tsx';
import { PersonDataCard } from './person-data/person-data-card.tsx';
import { useText } from './text.ts';
import { useUserDeed } from './use-user-deed.tsx';
import { UserBadges } from './users-page.tsx';
import cards from '../panel/cards.module.css';
import listStyles from '../panel/list.module.css';
import styles from './user-page.module.css';

/** `/admin/users/:id`. */
export default function UserPage() {
  const t = useText();
  const api = useApi();
  const { id = '' } = useParams();
  const found = useQuery(userQuery(api, id));
  // Closed or erased, here or by somebody else: what was known of them before is shown no more.
  const isGone = isApiError(found.error) && found.error.status === 404;
  const user = isGone ? undefined : found.data?.data;
  const name = user?.displayName ?? t('people.one');
  return (
    <Page>
      <Breadcrumbs items={[{ label: t('people.title'), to: '/admin/users' }, { label: name }]} />
      <header className={listStyles['head']}>
        <PageHeading documentTitle={t('people.one')}>{name}</PageHeading>
        {user && <UserBadges user={user} />}
      </header>
      {found.isPending && <Loading height="20rem" />}
      {found.isError && !isGone && (
        <ErrorBox message={messageOf(found.error, t('people.loadFailed'))} onRetry={() => void found.refetch()} />
      )}
      {user && <Cards user={user} />}
      {isGone && <Gone id={id} />}
    </Page>
  );
}

/** Of an account that is closed, what is held is still to be kept or erased. */
function Gone({ id }: { readonly id: string }) {
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
      <PersonDataCard userId={id} isOpen={false} />
    </div>
  );
}

function Cards({ user }: { readonly user: AdminUserDetail }) {
  const t = useText();
  const navigate = useNavigate();
  const isSelf = useUser()?.id === user.id;
  const deed = useUserDeed(() => void navigate('/admin/users'));
  return (
    <div className={cards['cards']}>
      <ProfileCard user={user} />
      <Card>
        <h2>{t('people.actions')}</h2>
        {user.verified && <p>{t('people.alreadyVerified')}</p>}
        <div className={styles['ways']}>
          <LinkButton to={`/admin/users/${user.id}/history`}>{t('people.history')}</LinkButton>
          <Button disabled={user.verified} onClick={() => deed.ask('verify', user)}>
            {t('people.verify')}
          </Button>
          <Button variant="danger" disabled={isSelf} onClick={() => deed.ask('close', user)}>
            {t('people.close')}
          </Button>
        </div>
      </Card>
      <AdCard ad={user.ad} />
      <CodeCard code={user.code} onClear={() => deed.ask('clearCode', user)} />
      <CountsCard counts={user.counts} />
      <RoleCard key={user.role} user={user} />
      <PersonDataCard userId={user.id} isOpen />
      {deed.dialog}
    </div>
  );
}

function ProfileCard({ user }: { readonly user: AdminUserDetail }) {
  const t = useText();
  const locale = useLocale();
  return (
    <Card>
      <h2>{t('people.profile')}</h2>
      <Facts
        facts={[
          [t('people.email'), user.email],
          [t('people.type'), user.isProvider ? t('people.provider') : t('people.client')],
          [t('people.age'), String(user.age)],
          [
            t('people.registered'),
            new Date(user.registeredAt).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }),
          ],
          [t('people.role'), user.role === null ? t('people.noRole') : t(`people.${user.role}`)],
          ...(user.isConfiguredAdmin ? [[t('people.configured'), t('people.yes')] as const] : []),
          [t('people.id'), user.id],
        ]}
      />
    </Card>
  );
}

function AdCard({ ad }: Pick<AdminUserDetail, 'ad'>) {
  const t = useText();
  return (
    <Card>
      <h2>{t('people.ad')}</h2>
      {ad === null ? (
        <p>{t('people.noAd')}</p>
      ) : (
        <>
          <Facts
            facts={[
              [t('people.adTitle'), ad.title],
              [t('people.adPlace'), ad.location],
              [t('people.state'), ad.status === 'hidden' ? t('people.adHidden') : t('people.adLive')],
              [t('people.adPosted'), <TimeAgo key="posted" at={ad.createdAt} />],
              [t('people.adBumped'), <TimeAgo key="bumped" at={ad.lastBumpedAt} />],
            ]}
          />
          <div className={styles['ways']}>
            <LinkButton to={`/admin/ads/${ad.id}`}>{t('people.adHistory')}</LinkButton>
          </div>
        </>
      )}
    </Card>
  );
}

function CodeCard({ code, onClear }: Pick<AdminUserDetail, 'code'> & { readonly onClear: () => void }) {
  const t = useText();
  return (
    <Card>
      <h2>{t('people.code')}</h2>
      {code === null ? (
        <p>{t('people.noCode')}</p>
      ) : (
        <>
          <Facts
            facts={[
              ...(code.code === null ? [] : [[t('people.codeText'), code.code] as const]),
              [t('people.issued'), <TimeAgo key="issued" at={code.issuedAt} />],
              [t('people.attemptsLeft'), String(code.attemptsLeft)],
            ]}
          />
          <div className={styles['ways']}>
            <Button onClick={onClear}>{t('people.clearCode')}</Button>
          </div>
        </>
      )}
    </Card>
  );
}

function CountsCard({ counts }: Pick<AdminUserDetail, 'counts'>) {
  const t = useText();
  const locale = useLocale();
  const names = ['threads', 'posts', 'hiddenPosts', 'favorites', 'follows', 'sessions'] as const;
  return (
    <Card>
      <h2>{t('people.counts')}</h2>
      <Facts facts={names.map((name) => [t(`people.counts.${name}`), counts[name].toLocaleString(locale)] as const)} />
    </Card>
  );
}
