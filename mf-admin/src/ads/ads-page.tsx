import { useState } from 'react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { AdminAdView } from '@alpenglow/domain/contracts';
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
  useHost,
  useLocale,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { DataTable } from '../panel/data-table.tsx';
import { FilterSelect } from '../panel/filter-select.tsx';
import { More } from '../panel/more.tsx';
import { ReasonDialog } from '../panel/reason-dialog.tsx';
import { useFilters } from '../panel/use-filters.ts';
import { adminAdCalls, adminAdsQuery, ADS_KEY } from './calls.ts';
import { useText } from './text.ts';
import framed from '../panel/framed-table.module.css';
import styles from '../panel/list.module.css';

/** `/admin/ads`. */
export default function AdsPage() {
  const t = useText();
  const filters = useFilters();
  const { valueOf, choose } = filters;
  const yesOrNo = [
    ['', t('ads.any')],
    ['true', t('ads.yes')],
    ['false', t('ads.no')],
  ] as const;
  return (
    <Page>
      <header className={styles['head']}>
        <PageHeading documentTitle={t('ads.title')}>{t('ads.title')}</PageHeading>
      </header>
      <div role="search" className={styles['filters']}>
        <Field label={t('ads.search')}>
          <TextInput
            type="search"
            maxLength={100}
            autoComplete="off"
            value={filters.typed}
            onChange={({ target }) => filters.setTyped(target.value)}
          />
        </Field>
        <FilterSelect
          label={t('ads.sort')}
          value={valueOf('sort')}
          onChoose={(value) => choose('sort', value)}
          options={[
            ['', t('ads.sortNewest')],
            ['oldest', t('ads.sortOldest')],
            ['bumped', t('ads.sortBumped')],
            ['title', t('ads.sortTitle')],
          ]}
        />
        <FilterSelect
          label={t('ads.hidden')}
          value={valueOf('hidden')}
          onChoose={(value) => choose('hidden', value)}
          options={yesOrNo}
        />
        <FilterSelect
          label={t('ads.featured')}
          value={valueOf('featured')}
          onChoose={(value) => choose('featured', value)}
          options={yesOrNo}
        />
      </div>
      <Ads filters={filters} />
    </Page>
  );
}

function Ads({ filters: { q, valueOf, clear, isFiltered } }: { readonly filters: ReturnType<typeof useFilters> }) {
  const t = useText();
  const api = useApi();
  const [leaving, setLeaving] = useState<AdminAdView | null>(null);
  const list = useInfiniteQuery(
    adminAdsQuery(api, { q, sort: valueOf('sort'), hidden: valueOf('hidden'), featured: valueOf('featured') }),
  );
  const ads = list.data?.pages.flatMap(({ data }) => data) ?? [];
  if (list.isPending) return <Loading height="20rem" />;
  if (list.isError && ads.length === 0)
    return <ErrorBox message={messageOf(list.error, t('ads.listFailed'))} onRetry={() => void list.refetch()} />;
  if (ads.length === 0)
    return (
      <EmptyState title={t('ads.none')} actions={isFiltered && <Button onClick={clear}>{t('ads.showAll')}</Button>} />
    );
  return (
    <>
      <p className={styles['count']} role="status">
        {t('ads.count', { count: list.data?.pages[0]?.total ?? ads.length })}
      </p>
      <DataTable
        label={t('ads.title')}
        columns={[
          t('ads.ad'),
          t('ads.owner'),
          t('ads.state'),
          t('ads.posted'),
          t('ads.bumped'),
          t('ads.views'),
          t('ads.actions'),
        ]}
        className={framed['framed']}
      >
        {ads.map((ad) => (
          <AdRow key={ad.id} ad={ad} onTakeDown={() => setLeaving(ad)} />
        ))}
      </DataTable>
      <More list={list} />
      {leaving && <TakeDownDialog ad={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

function AdRow({ ad, onTakeDown }: { readonly ad: AdminAdView; readonly onTakeDown: () => void }) {
  const t = useText();
  const locale = useLocale();
  return (
    <tr>
      <th scope="row">
        <Link to={`/admin/ads/${ad.id}`}>{ad.title}</Link>
        <span>{ad.location}</span>
      </th>
      <td>
        <Link to={`/admin/users/${ad.ownerId}`}>{ad.email ?? t('ads.noOwner')}</Link>
      </td>
      <td>
        <span className={styles['badges']}>
          {ad.status === 'hidden' ? (
            <Badge tone="danger">{t('ads.isHidden')}</Badge>
          ) : (
            <Badge tone="success">{t('ads.isLive')}</Badge>
          )}
          {ad.isFeatured && <Badge tone="accent">{t('ads.isFeatured')}</Badge>}
          {ad.isDemo && <Badge>{t('ads.demo')}</Badge>}
        </span>
      </td>
      <td>
        <TimeAgo at={ad.createdAt} />
      </td>
      <td>
        <TimeAgo at={ad.lastBumpedAt} />
      </td>
      <td>{ad.views.toLocaleString(locale)}</td>
      <td>
        <div className={styles['actions']}>
          <FeatureButton ad={ad} />
          <Button
            size="small"
            variant="danger"
            aria-label={t('ads.takeDownOf', { title: ad.title })}
            onClick={onTakeDown}
          >
            {t('ads.takeDown')}
          </Button>
        </div>
      </td>
    </tr>
  );
}

function FeatureButton({ ad: { id, title, isFeatured } }: { readonly ad: AdminAdView }) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const featuring = useMutation({
    mutationFn: () => adminAdCalls(api).feature(id, !isFeatured),
    onSuccess: () => notify({ text: isFeatured ? t('ads.unfeatured') : t('ads.featuredDone'), tone: 'success' }),
    onError: (error) => notify({ text: messageOf(error, t('ads.featureFailed')), tone: 'danger' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ADS_KEY }),
  });
  return (
    <Button
      size="small"
      busy={featuring.isPending}
      aria-label={isFeatured ? t('ads.unfeatureOf', { title }) : t('ads.featureOf', { title })}
      onClick={() => featuring.mutate()}
    >
      {isFeatured ? t('ads.unfeature') : t('ads.feature')}
    </Button>
  );
}

function TakeDownDialog({ ad, onClose }: { readonly ad: AdminAdView; readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const leaving = useMutation({
    mutationFn: (reason: string) => adminAdCalls(api).takeDown(ad.id, reason),
    onSuccess: () => notify({ text: t('ads.takenDown', { title: ad.title }), tone: 'success' }),
    onError: (error) => notify({ text: messageOf(error, t('ads.takeDownFailed')), tone: 'danger' }),
    onSettled: () => {
      onClose();
      return queryClient.invalidateQueries({ queryKey: ADS_KEY });
    },
  });
  return (
    <ReasonDialog
      title={t('ads.takeDownTitle', { title: ad.title })}
      confirmLabel={t('ads.takeDownNow')}
      isDangerous
      isBusy={leaving.isPending}
      onClose={onClose}
      onConfirm={(reason) => leaving.mutate(reason)}
    >
      <p>{t('ads.takeDownText')}</p>
    </ReasonDialog>
  );
}
