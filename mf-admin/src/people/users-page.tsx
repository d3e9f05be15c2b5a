import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { AdminUserView } from '@alpenglow/domain/contracts';
import {
  Badge,
  Button,
  EmptyState,
  ErrorBox,
  Field,
  messageOf,
  Page,
  PageHeading,
  TextInput,
  TimeAgo,
  useApi,
  useUser,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { DataTable } from '../panel/data-table.tsx';
import { FilterSelect } from '../panel/filter-select.tsx';
import { More } from '../panel/more.tsx';
import { useFilters } from '../panel/use-filters.ts';
import { usersQuery } from './calls.ts';
import { useText } from './text.ts';
import { useUserDeed } from './use-user-deed.tsx';
import framed from '../panel/framed-table.module.css';
import styles from '../panel/list.module.css';

/** `/admin/users`. */
export default function UsersPage() {
  const t = useText();
  const filters = useFilters();
  const { valueOf, choose } = filters;
  const any = ['', t('people.any')] as const;
  return (
    <Page>
      <header className={styles['head']}>
        <PageHeading documentTitle={t('people.title')}>{t('people.title')}</PageHeading>
      </header>
      <div role="search" className={styles['filters']}>
        <Field label={t('people.search')}>
          <TextInput
            type="search"
            maxLength={100}
            autoComplete="off"
            value={filters.typed}
            onChange={({ target }) => filters.setTyped(target.value)}
          />
        </Field>
        <FilterSelect
          label={t('people.sort')}
          value={valueOf('sort')}
          onChoose={(value) => choose('sort', value)}
          options={[
            ['', t('people.sortNewest')],
            ['oldest', t('people.sortOldest')],
            ['name', t('people.sortName')],
            ['ads', t('people.sortAds')],
          ]}
        />
        <FilterSelect
          label={t('people.type')}
          value={valueOf('type')}
          onChoose={(value) => choose('type', value)}
          options={[any, ['client', t('people.client')], ['provider', t('people.provider')]]}
        />
        <FilterSelect
          label={t('people.role')}
          value={valueOf('role')}
          onChoose={(value) => choose('role', value)}
          options={[
            any,
            ['admin', t('people.admin')],
            ['moderator', t('people.moderator')],
            ['none', t('people.noRole')],
          ]}
        />
        <FilterSelect
          label={t('people.verified')}
          value={valueOf('verified')}
          onChoose={(value) => choose('verified', value)}
          options={[any, ['true', t('people.yes')], ['false', t('people.no')]]}
        />
      </div>
      <Users filters={filters} />
    </Page>
  );
}

function Users({ filters: { q, valueOf, clear, isFiltered } }: { readonly filters: ReturnType<typeof useFilters> }) {
  const t = useText();
  const api = useApi();
  const deed = useUserDeed();
  const list = useInfiniteQuery(
    usersQuery(api, {
      q,
      sort: valueOf('sort'),
      type: valueOf('type'),
      role: valueOf('role'),
      verified: valueOf('verified'),
    }),
  );
  const users = list.data?.pages.flatMap(({ data }) => data) ?? [];
  if (list.isPending) return <Loading height="20rem" />;
  if (list.isError && users.length === 0)
    return <ErrorBox message={messageOf(list.error, t('people.listFailed'))} onRetry={() => void list.refetch()} />;
  if (users.length === 0)
    return (
      <EmptyState
        title={t('people.nobody')}
        actions={isFiltered && <Button onClick={clear}>{t('people.showAll')}</Button>}
      />
    );
  return (
    <>
      <p className={styles['count']} role="status">
        {t('people.count', { count: list.data?.pages[0]?.total ?? users.length })}
      </p>
      <DataTable
        label={t('people.title')}
        columns={[
          t('people.name'),
          t('people.type'),
          t('people.state'),
          t('people.registered'),
          t('people.ad'),
          t('people.actions'),
        ]}
        className={framed['framed']}
      >
        {users.map((user) => (
          <UserRow key={user.id} user={user} ask={deed.ask} />
        ))}
      </DataTable>
      <More list={list} />
      {deed.dialog}
    </>
  );
}

function UserRow({ user, ask }: { readonly user: AdminUserView; readonly ask: ReturnType<typeof useUserDeed>['ask'] }) {
  const t = useText();
  const isSelf = useUser()?.id === user.id;
  return (
    <tr>
      <th scope="row">
        <Link to={`/admin/users/${user.id}`}>{user.displayName}</Link>
        <span>{user.email}</span>
      </th>
      <td>{user.isProvider ? t('people.provider') : t('people.client')}</td>
      <td>
        <UserBadges user={user} />
      </td>
      <td>
        <TimeAgo at={user.registeredAt} />
      </td>
      <td>{user.adId === null ? '–' : <Link to={`/admin/ads/${user.adId}`}>{t('people.showAd')}</Link>}</td>
      <td>
        <div className={styles['actions']}>
          <Button
            size="small"
            disabled={user.verified}
            aria-label={t('people.verifyOf', { name: user.displayName })}
            onClick={() => ask('verify', user)}
          >
            {t('people.verify')}
          </Button>
          <Button
            size="small"
            variant="danger"
            disabled={isSelf}
            aria-label={t('people.closeOf', { name: user.displayName })}
            onClick={() => ask('close', user)}
          >
            {t('people.close')}
          </Button>
        </div>
      </td>
    </tr>
  );
}

/** What is to be known of a user at a glance. */
export function UserBadges({
  user: { isAdmin, isModerator, verified, isEmailVerified, isDemo },
}: {
  readonly user: Pick<AdminUserView, 'isAdmin' | 'isModerator' | 'verified' | 'isEmailVerified' | 'isDemo'>;
}) {
  const t = useText();
  return (
    <span className={styles['badges']}>
      {isAdmin ? (
        <Badge tone="accent">{t('people.admin')}</Badge>
      ) : (
        isModerator && <Badge tone="accent">{t('people.moderator')}</Badge>
      )}
      {verified && <Badge tone="success">{t('people.isVerified')}</Badge>}
      {!isEmailVerified && <Badge>{t('people.mailNotVerified')}</Badge>}
      {isDemo && <Badge>{t('people.demo')}</Badge>}
    </span>
  );
}
