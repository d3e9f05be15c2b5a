import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router-dom';
import type { StaffReadsAnswer } from '@alpenglow/domain/contracts';
import {
  Button,
  Card,
  classNames,
  EmptyState,
  ErrorBox,
  Field,
  messageOf,
  Page,
  TextInput,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { DataTable } from '../panel/data-table.tsx';
import { FilterForm } from '../panel/filter-form.tsx';
import { LeadHead } from '../panel/lead-head.tsx';
import tables from '../panel/table-in-card.module.css';
import en from './locales/en.json';
import { useText } from './text.ts';
import styles from './staff-reads-page.module.css';

/** `/admin/staff-reads`: who of the staff has looked at whose personal data. */
export default function StaffReadsPage() {
  const t = useText();
  const [search] = useSearchParams();
  const staff = search.get('staff') ?? '';
  const subject = search.get('subject') ?? '';
  const isFiltered = staff !== '' || subject !== '';
  return (
    <Page>
      <LeadHead title={t('staff-reads.title')}>{t('staff-reads.lead')}</LeadHead>
      <FilterForm filterLabel={t('staff-reads.filter')} clearLabel={t('staff-reads.clear')} isFiltered={isFiltered}>
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
  const locale = useLocale();
  const reads = useInfiniteQuery({
    queryKey: ['admin', 'staff-reads', staff, subject],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = new URLSearchParams(Object.entries({ staff, subject, cursor }).filter(([, value]) => value !== ''));
      return api.callSignedIn<StaffReadsAnswer>({ path: `/admin/staff-reads?${query.toString()}`, signal });
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const rows = reads.data?.pages.flatMap(({ data }) => data) ?? [];
  if (reads.isPending) return <Loading height="24rem" />;
  if (reads.isError && rows.length === 0)
    return <ErrorBox message={messageOf(reads.error, t('staff-reads.failed'))} onRetry={() => void reads.refetch()} />;
  if (rows.length === 0)
    return <EmptyState title={t(staff === '' && subject === '' ? 'staff-reads.empty' : 'staff-reads.emptyFilter')} />;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <Card>
      <DataTable
        label={t('staff-reads.table')}
        columns={[
          t('staff-reads.at'),
          t('staff-reads.staff'),
          t('staff-reads.what'),
          t('staff-reads.subject'),
          t('staff-reads.people'),
          t('staff-reads.request'),
        ]}
        className={classNames(tables['inCard'], styles['reads'])}
      >
        {rows.map((read) => (
          <tr key={read.id}>
            <th scope="row">
              <time dateTime={read.at}>{format.format(new Date(read.at))}</time>
            </th>
            <td>
              <Link to={`/admin/users/${encodeURIComponent(read.staffId)}`}>{read.staffId}</Link>
            </td>
            <td>{whatText(t, read.what)}</td>
            <td>{read.subjectId ?? t('staff-reads.list')}</td>
            <td>{read.people}</td>
            <td>
              <code>{read.requestId}</code>
            </td>
          </tr>
        ))}
      </DataTable>
      {reads.hasNextPage && (
        <Button busy={reads.isFetchingNextPage} onClick={() => void reads.fetchNextPage()}>
          {t('staff-reads.more')}
        </Button>
      )}
    </Card>
  );
}

/** What was looked at, in words; an operation that has none by its name. */
function whatText(t: ReturnType<typeof useText>, what: string): string {
  const id = `staff-reads.what.${what}`;
  return id in en ? t(id as keyof typeof en) : what;
}
