import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { Page, useApi, useLocale } from '@alpenglow/ui';
import { FilteredTable } from '../panel/filtered-table.tsx';
import { ListHeader } from '../panel/list-header.tsx';
import { PictureCell } from '../panel/list-parts.tsx';
import { useFilters } from '../panel/use-filters.ts';
import { useText } from '../text.ts';
import { AdActions } from './ad-actions.tsx';
import { AdBadges } from './ad-badges.tsx';
import { adminAdsQuery } from './api.ts';
import { BumpedAgo } from './bumped-ago.tsx';
import { findPicture } from './find-picture.ts';
import { useTakeDown } from './use-take-down.ts';

const FILTERS = ['sort', 'hidden', 'featured'] as const;

/** The page `/admin/ads`, which lists all ads with filters. */
export default function AdsPage() {
  const t = useText();
  const locale = useLocale();
  const filters = useFilters(FILTERS);
  const list = useInfiniteQuery(adminAdsQuery(useApi(), filters.values));
  const takeDown = useTakeDown();
  const yesOrNo = { '': t('ads.any'), true: t('table.yes'), false: t('table.no') };
  const sorts = {
    '': t('ads.sortNewest'),
    oldest: t('ads.sortOldest'),
    bumped: t('ads.sortBumped'),
    title: t('ads.sortTitle'),
  };
  return (
    <Page>
      <ListHeader title={t('nav.ads')} />
      <FilteredTable
        filters={filters}
        searchLabel={t('ads.search')}
        selects={[
          { name: 'sort', label: t('table.sort'), options: sorts },
          { name: 'hidden', label: t('ads.hidden'), options: yesOrNo },
          { name: 'featured', label: t('ads.featured'), options: yesOrNo },
        ]}
        list={list}
        failedText={t('ads.listFailed')}
        emptyText={t('ads.none')}
        countText={(count) => t('ads.count', { count })}
        label={t('nav.ads')}
        columns={[
          {
            head: t('ads.ad'),
            cell: (ad) => {
              const { url, isBlurred } = findPicture(ad);
              return (
                <PictureCell picture={url} isBlurred={isBlurred}>
                  <Link to={`/admin/ads/${ad.id}`}>{ad.title}</Link>
                </PictureCell>
              );
            },
          },
          { head: t('field.city'), cell: ({ location }) => location },
          {
            head: t('ads.owner'),
            cell: ({ ownerId, email }) => <Link to={`/admin/users/${ownerId}`}>{email ?? t('ads.noOwner')}</Link>,
          },
          { head: t('table.state'), cell: (ad) => <AdBadges ad={ad} /> },
          { head: t('ads.bumped'), cell: (ad) => <BumpedAgo ad={ad} /> },
          { head: t('ads.views'), cell: ({ views }) => views.toLocaleString(locale) },
          { head: t('table.actions'), cell: (ad) => <AdActions ad={ad} onTakeDown={() => takeDown.openDialog(ad)} /> },
        ]}
      />
      {takeDown.dialog}
    </Page>
  );
}
