import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { Page, TimeAgo, useApi } from '@alpenglow/ui';
import { FilteredTable } from '../panel/filtered-table.tsx';
import { ListHeader } from '../panel/list-header.tsx';
import { useFilters } from '../panel/use-filters.ts';
import { useText } from '../text.ts';
import { usersQuery } from './api.ts';
import { UserActions } from './user-actions.tsx';
import { UserBadges } from './user-badges.tsx';
import { useUserAction } from './use-user-action.tsx';

const FILTERS = ['sort', 'type', 'role', 'verified'] as const;

/** The page `/admin/users`, which lists all users with filters. */
export default function UsersPage() {
  const t = useText();
  const filters = useFilters(FILTERS);
  const list = useInfiniteQuery(usersQuery(useApi(), filters.values));
  const { openDialog, dialog } = useUserAction();
  const any = t('people.any');
  const sorts = {
    '': t('people.sortNewest'),
    oldest: t('people.sortOldest'),
    name: t('people.sortName'),
    ads: t('people.sortAds'),
  };
  const types = { '': any, client: t('people.client'), provider: t('people.provider') };
  const roles = { '': any, admin: t('people.admin'), moderator: t('people.moderator'), none: t('people.noRole') };
  const yesOrNo = { '': any, true: t('table.yes'), false: t('table.no') };
  return (
    <Page>
      <ListHeader title={t('nav.users')} />
      <FilteredTable
        filters={filters}
        searchLabel={t('people.search')}
        selects={[
          { name: 'sort', label: t('table.sort'), options: sorts },
          { name: 'type', label: t('people.type'), options: types },
          { name: 'role', label: t('field.role'), options: roles },
          { name: 'verified', label: t('people.verified'), options: yesOrNo },
        ]}
        list={list}
        failedText={t('people.listFailed')}
        emptyText={t('people.nobody')}
        countText={(count) => t('people.count', { count })}
        label={t('nav.users')}
        columns={[
          {
            head: t('field.name'),
            cell: ({ id, displayName }) => <Link to={`/admin/users/${id}`}>{displayName}</Link>,
          },
          { head: t('field.email'), cell: ({ email }) => email },
          { head: t('people.type'), cell: ({ isProvider }) => t(isProvider ? 'people.provider' : 'people.client') },
          { head: t('table.state'), cell: (user) => <UserBadges user={user} /> },
          { head: t('people.registered'), cell: ({ registeredAt }) => <TimeAgo at={registeredAt} /> },
          {
            head: t('ads.ad'),
            cell: ({ adId }) => (adId === null ? '–' : <Link to={`/admin/ads/${adId}`}>{t('people.showAd')}</Link>),
          },
          { head: t('table.actions'), cell: (user) => <UserActions user={user} onAction={openDialog} /> },
        ]}
      />
      {dialog}
    </Page>
  );
}
