import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { Badge, EmptyState, Page, PagedTable, TimeAgo, useApi } from '@alpenglow/ui';
import { ChoiceLinks, useChoice } from '../panel/choice-links.tsx';
import { PageIntro } from '../panel/page-intro.tsx';
import { useText } from '../text.ts';
import { REMOVAL_LISTS, removalsQuery, STATUS_TONES } from './api.ts';
import { TimeLeft } from './time-left.tsx';

/** The page `/admin/removals` with the removal requests, ordered by the time left. */
export default function RemovalsPage() {
  const t = useText();
  const state = useChoice('state', REMOVAL_LISTS, 'waiting');
  const list = useInfiniteQuery(removalsQuery(useApi(), state));
  return (
    <Page>
      <PageIntro title={t('nav.removals')}>{t('removals.lead')}</PageIntro>
      <ChoiceLinks
        label={t('removals.lists')}
        path="/admin/removals"
        parameter="state"
        choices={REMOVAL_LISTS}
        selected={state}
        labelOf={(name) => t(`removals.list.${name}`)}
      />
      <PagedTable
        list={list}
        failedText={t('removals.failed')}
        empty={<EmptyState title={t(`removals.none.${state}`)} />}
        label={t('nav.removals')}
        getKey={({ id }) => id}
        columns={[
          {
            head: t('removals.reference'),
            cell: ({ id, reference }) => <Link to={`/admin/removals/${id}`}>{reference}</Link>,
          },
          {
            head: t('removals.left.title'),
            cell: ({ deadline }) => (deadline === null ? '–' : <TimeLeft deadline={deadline} />),
          },
          {
            head: t('removals.status'),
            cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{t(`removals.status.${status}`)}</Badge>,
          },
          { head: t('removals.contents'), cell: ({ contentCount }) => contentCount },
          { head: t('removals.received'), cell: ({ requestedAt }) => <TimeAgo at={requestedAt} /> },
        ]}
      />
    </Page>
  );
}
