import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router-dom';
import type { StaffReadsResponse } from '@alpenglow/domain/contracts';
import { Card, EmptyState, Field, signedInPagedQuery, Page, PagedTable, TextInput, useApi } from '@alpenglow/ui';
import { FilterForm } from '../panel/filter-form.tsx';
import { PageIntro } from '../panel/page-intro.tsx';
import { useFormatTime } from '../panel/use-format-time.ts';
import { translateOr, useText } from '../text.ts';
import cards from '../panel/cards.module.css';

/** The page `/admin/staff-reads`. It shows a log of the personal data that staff members have read. */
export default function StaffReadsPage() {
  const t = useText();
  const [search] = useSearchParams();
  const staff = search.get('staff') ?? '';
  const subject = search.get('subject') ?? '';
  const isFiltered = staff !== '' || subject !== '';
  return (
    <Page>
      <PageIntro title={t('nav.staffReads')}>{t('staff-reads.lead')}</PageIntro>
      <FilterForm isFiltered={isFiltered}>
        <Field label={t('staff-reads.staff')} hint={t('staff-reads.idHint')}>
          <TextInput name="staff" defaultValue={staff} pattern="[\w\-]{1,64}" />
        </Field>
        <Field label={t('staff-reads.subject')} hint={t('staff-reads.idHint')}>
          <TextInput name="subject" defaultValue={subject} pattern="[\w:\-]{1,120}" />
        </Field>
      </FilterForm>
      <Reads staff={staff} subject={subject} />
    </Page>
  );
}

function Reads({ staff, subject }: { readonly staff: string; readonly subject: string }) {
  const t = useText();
  const api = useApi();
  const key = ['admin', 'staff-reads', staff, subject];
  const list = useInfiniteQuery(
    signedInPagedQuery<StaffReadsResponse>(api, key, '/admin/staff-reads', { staff, subject }),
  );
  const formatTime = useFormatTime('medium');
  return (
    <Card>
      <PagedTable
        list={list}
        failedText={t('log.failed')}
        empty={
          <EmptyState title={t(staff === '' && subject === '' ? 'staff-reads.empty' : 'staff-reads.emptyFilter')} />
        }
        loadingHeight="24rem"
        moreText={t('staff-reads.more')}
        moreClassName={cards['more']}
        label={t('staff-reads.table')}
        variant="plain"
        getKey={({ id }) => id}
        columns={[
          {
            head: t('staff-reads.at'),
            cell: ({ at }) => <time dateTime={at}>{formatTime(at)}</time>,
          },
          {
            head: t('staff-reads.staff'),
            cell: ({ staffId }) => <Link to={`/admin/users/${encodeURIComponent(staffId)}`}>{staffId}</Link>,
          },
          { head: t('staff-reads.what'), cell: ({ what }) => translateOr(t, `staff-reads.what.${what}`, what) },
          { head: t('staff-reads.subject'), cell: ({ subjectId }) => subjectId ?? t('staff-reads.list') },
          { head: t('staff-reads.people'), cell: ({ people }) => people },
          { head: t('history.correlation'), cell: ({ requestId }) => <code>{requestId}</code> },
        ]}
      />
    </Card>
  );
}
