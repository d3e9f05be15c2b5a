import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router-dom';
import { Card, EmptyState, layout, Page, PagedTable, signedInPagedQuery, useApi } from '@alpenglow/ui';
import { AccountName } from '../panel/account-name.tsx';
import { ChoiceSelect, withChoice } from '../panel/choice-select.tsx';
import { FilterForm } from '../panel/filter-form.tsx';
import { mergeNames } from '../panel/merge-names.ts';
import { PageIntro } from '../panel/page-intro.tsx';
import { formatConsumerName } from '../panel/part-names.ts';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import { useFormatTime } from '../panel/use-format-time.ts';
import { translateOr, useText } from '../text.ts';
import { findReadSubject, type ReadSubject } from './read-subject.ts';
import cards from '../panel/cards.module.css';

/** The page `/admin/staff-reads`. It shows a log of the personal data that staff members have read. */
export default function StaffReadsPage() {
  const t = useText();
  const api = useApi();
  const formatTime = useFormatTime('medium');
  const [search] = useSearchParams();
  const staff = search.get('staff') ?? '';
  const subject = search.get('subject') ?? '';
  const isFiltered = staff !== '' || subject !== '';
  const key = ['admin', 'staff-reads', staff, subject];
  const list = useInfiniteQuery(
    signedInPagedQuery<'listStaffReads'>(api, key, '/admin/staff-reads', { staff, subject }),
  );
  const names = mergeNames(list);
  const reads = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const staffIds = listIds(reads.map(({ staffId }) => staffId));
  const subjects = new Map(reads.map((read) => [read.subjectId, findReadSubject(read)]));
  const subjectIds = listIds([...subjects.keys()]);
  const formatStaff = (id: string) => names[id] ?? t('table.formerMember');
  const formatSubject = (id: string) => formatReadSubject(t, subjects.get(id) ?? { kind: 'account', id }, names);
  return (
    <Page>
      <PageIntro title={t('nav.staffReads')}>{t('staff-reads.lead')}</PageIntro>
      <FilterForm names={['staff', 'subject']}>
        {(control) => (
          <>
            <ChoiceSelect
              {...control('staff')}
              label={t('staff-reads.staff')}
              anyLabel={t('table.everybody')}
              choices={withChoice(staffIds, staff)}
              labelOf={formatStaff}
            />
            <ChoiceSelect
              {...control('subject')}
              label={t('staff-reads.subject')}
              anyLabel={t('table.everybody')}
              choices={withChoice(subjectIds, subject)}
              labelOf={formatSubject}
            />
          </>
        )}
      </FilterForm>
      <Card>
        <PagedTable
          list={list}
          failedText={t('log.failed')}
          empty={<EmptyState title={t(isFiltered ? 'staff-reads.emptyFilter' : 'staff-reads.empty')} />}
          loadingHeight="24rem"
          moreText={t('staff-reads.more')}
          moreClassName={cards['more']}
          label={t('staff-reads.table')}
          variant="plain"
          getKey={({ id }) => id}
          columns={[
            {
              head: t('staff-reads.at'),
              cell: ({ at, lastAt, reads: count }) => (
                <>
                  <time dateTime={at}>{formatTime(at)}</time>
                  {count > 1 && (
                    <div className={layout['muted']}>
                      {t('staff-reads.repeated', { count, time: formatTime(lastAt) })}
                    </div>
                  )}
                </>
              ),
            },
            { head: t('staff-reads.staff'), cell: ({ staffId }) => <AccountName id={staffId} names={names} /> },
            {
              head: t('staff-reads.what'),
              cell: ({ what, mediaId, requestId }) => (
                <>
                  {translateOr(t, `staff-reads.what.${what}`, what)}
                  <TechnicalDetails>
                    {t('history.correlation')} <code>{requestId}</code>
                    {mediaId !== null && (
                      <>
                        {' · '}
                        {t('moderation.kind.media')} <code>{mediaId}</code>
                      </>
                    )}
                  </TechnicalDetails>
                </>
              ),
            },
            {
              head: t('staff-reads.subject'),
              cell: (read) => <Subject subject={findReadSubject(read)} names={names} />,
            },
            { head: t('staff-reads.people'), cell: ({ people }) => people },
          ]}
        />
      </Card>
    </Page>
  );
}

interface SubjectProps {
  readonly subject: ReadSubject;
  /** Display names by account id. Closed accounts are missing. */
  readonly names: Readonly<Record<string, string>>;
}

/** The name of the subject of a read, with a link to its page if it has one. */
function Subject({ subject, names }: SubjectProps) {
  const t = useText();
  if (subject.kind === 'account') return <AccountName id={subject.id} names={names} />;
  const text = formatReadSubject(t, subject, names);
  const path = pathOf(subject);
  return path === null ? <>{text}</> : <Link to={path}>{text}</Link>;
}

function formatReadSubject(t: ReturnType<typeof useText>, subject: ReadSubject, names: SubjectProps['names']): string {
  switch (subject.kind) {
    case 'list':
      return t('staff-reads.list');
    case 'case':
      return t('moderation.case');
    case 'removal':
      return t('staff-reads.removal');
    case 'request':
      return t('requests.request');
    case 'part':
      return formatConsumerName(t, subject.id);
    default:
      return names[subject.id] ?? t('table.formerMember');
  }
}

function pathOf(subject: ReadSubject): string | null {
  switch (subject.kind) {
    case 'case':
      return `/admin/moderation/cases/${encodeURIComponent(subject.id)}`;
    case 'removal':
      return `/admin/removals/${encodeURIComponent(subject.id)}`;
    case 'request':
      return `/admin/requests?id=${encodeURIComponent(subject.id)}`;
    case 'part':
      return '/admin/projections';
    default:
      return null;
  }
}

/** Returns each id once. */
function listIds(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
