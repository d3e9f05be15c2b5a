import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router-dom';
import type { CaseView } from '@alpenglow/domain/contracts';
import {
  Breadcrumbs,
  Card,
  EmptyState,
  ErrorBox,
  isApiError,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  TimeAgo,
  useApi,
  useUser,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { AppealReview } from './appeal-review.tsx';
import { caseQuery } from './calls.ts';
import { CaseBadges, PersonName, useCaseTitle, useReasons } from './case-facts.tsx';
import { ClaimBar } from './claim-bar.tsx';
import { DecideForm } from './decide-form.tsx';
import { DecisionList } from './decision-list.tsx';
import { LinkedAds } from './linked-ads.tsx';
import { ReportList } from './report-list.tsx';
import { useText } from './text.ts';
import { Versions } from './versions.tsx';
import styles from './case-page.module.css';

/** `/admin/moderation/cases/:id`: everything there is to decide a case by, and the decision. */
export default function CasePage() {
  const { id = '' } = useParams();
  // Another case is another page: nothing that was begun about the one before is carried over.
  return <CaseOf key={id} id={id} />;
}

function CaseOf({ id }: { readonly id: string }) {
  const t = useText();
  const api = useApi();
  const found = useQuery(caseQuery(api, id));
  if (isApiError(found.error) && found.error.status === 404 && !found.data) {
    return (
      <Page>
        <EmptyState
          title={<PageHeading documentTitle={t('moderation.unknown')}>{t('moderation.unknown')}</PageHeading>}
          actions={<LinkButton to="/admin/moderation">{t('moderation.toQueue')}</LinkButton>}
        />
      </Page>
    );
  }
  if (found.data) return <Case view={found.data.data} />;
  return (
    <Page>
      <PageHeading documentTitle={t('moderation.case')}>{t('moderation.case')}</PageHeading>
      {found.isError ? (
        <ErrorBox message={messageOf(found.error, t('moderation.caseFailed'))} onRetry={() => void found.refetch()} />
      ) : (
        <Loading height="24rem" />
      )}
    </Page>
  );
}

function Case({ view }: { readonly view: CaseView }) {
  const t = useText();
  const titleOf = useCaseTitle();
  const reasonsOf = useReasons();
  const title = titleOf(view);
  const { owner, reasons, openedAt, appealedAt, state } = view;
  return (
    <Page>
      <Breadcrumbs
        items={[{ label: t('moderation.title'), to: '/admin/moderation' }, { label: t('moderation.case') }]}
      />
      <header className={styles['head']}>
        <p className={styles['badges']}>
          <CaseBadges card={view} />
        </p>
        <PageHeading documentTitle={title}>
          <bdi>{title}</bdi>
        </PageHeading>
        <p className={styles['facts']}>
          {reasons.length > 0 && <>{reasonsOf(reasons)} · </>}
          <PersonName person={owner} /> · {state === 'decided' ? t('moderation.opened') : t('moderation.waits')}{' '}
          <TimeAgo at={appealedAt ?? openedAt} />
        </p>
        <Ways view={view} />
      </header>
      <ClaimBar view={view} />
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <Versions judged={view.judged} now={view.now} />
          <LinkedAds links={view.links} />
        </div>
        <div className={styles['column']}>
          <ReportList reports={view.reports} />
          {view.appeal !== null && (
            <Card>
              <section className={styles['section']} aria-labelledby="appeal">
                <h2 id="appeal">{t('moderation.appealTitle')}</h2>
                <p className={styles['words']} dir="auto">
                  {view.appeal.text}
                </p>
                <p className={styles['facts']}>
                  <TimeAgo at={view.appeal.filedAt} />
                </p>
                {view.canDecide && <AppealReview id={view.id} />}
              </section>
            </Card>
          )}
          {view.appeal === null && view.canDecide && <DecideForm view={view} />}
          <DecisionList
            id="decisions"
            title={t('moderation.decisions')}
            empty={t('moderation.noDecisions')}
            decisions={view.decisions}
          />
          <DecisionList
            id="owner-decisions"
            title={t('moderation.ownerDecisions')}
            empty={t('moderation.noOwnerDecisions')}
            decisions={view.ownerDecisions}
          />
        </div>
      </div>
    </Page>
  );
}

/** To the page it stands on and, where there is one, to its history. */
function Ways({ view: { path, subject, owner } }: { readonly view: CaseView }) {
  const t = useText();
  const isAdmin = useUser()?.isAdmin === true;
  const history =
    subject.kind === 'ad'
      ? `/admin/ads/${subject.id}`
      : subject.kind === 'thread'
        ? `/admin/threads/${subject.id}`
        : subject.kind === 'post'
          ? `/admin/threads/${subject.id.replace(/-\d+$/u, '')}`
          : null;
  return (
    <p className={styles['ways']}>
      {path !== null && <Link to={path}>{t('moderation.toPage')}</Link>}
      {history !== null && <Link to={history}>{t('moderation.toHistory')}</Link>}
      {isAdmin && owner !== null && <Link to={`/admin/users/${owner.id}`}>{t('moderation.toOwner')}</Link>}
    </p>
  );
}
