import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router-dom';
import { Card, EmptyState, Page, PagedTable, signedInPagedQuery, useApi } from '@alpenglow/ui';
import { AccountName } from '../panel/account-name.tsx';
import { ChoiceSelect, withChoice } from '../panel/choice-select.tsx';
import { FilterForm } from '../panel/filter-form.tsx';
import { mergeNames } from '../panel/merge-names.ts';
import { PageIntro } from '../panel/page-intro.tsx';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import { useFormatTime } from '../panel/use-format-time.ts';
import { translateOr, useText } from '../text.ts';
import cards from '../panel/cards.module.css';

/** Matches the id of a moderation case. It is the subject of a read if the content of the case has no owner. */
const CASE_ID = /^(?:ad|media|account|thread|post|article)-/u;

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
  const subjectIds = listIds(reads.map(({ subjectId }) => subjectId));
  const formatName = (id: string) => names[id] ?? (CASE_ID.test(id) ? t('moderation.case') : t('table.formerMember'));
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
              labelOf={formatName}
            />
            <ChoiceSelect
              {...control('subject')}
              label={t('staff-reads.subject')}
              anyLabel={t('table.everybody')}
              choices={withChoice(subjectIds, subject)}
              labelOf={formatName}
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
              cell: ({ at }) => <time dateTime={at}>{formatTime(at)}</time>,
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
              cell: ({ subjectId }) =>
                subjectId === null ? (
                  t('staff-reads.list')
                ) : CASE_ID.test(subjectId) ? (
                  <Link to={`/admin/moderation/cases/${encodeURIComponent(subjectId)}`}>{t('moderation.case')}</Link>
                ) : (
                  <AccountName id={subjectId} names={names} />
                ),
            },
            { head: t('staff-reads.people'), cell: ({ people }) => people },
          ]}
        />
      </Card>
    </Page>
  );
}

/** Returns each id once. */
function listIds(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
