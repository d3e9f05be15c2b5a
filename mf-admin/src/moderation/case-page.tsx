import { useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router-dom';
import type { CaseView } from '@alpenglow/domain/contracts';
import {
  Breadcrumbs,
  classNames,
  EmptyState,
  isApiError,
  layout,
  LinkButton,
  Page,
  PageHeading,
  QueryView,
  TimeAgo,
  useApi,
  useUser,
} from '@alpenglow/ui';
import { AppealReview } from './appeal-review.tsx';
import { caseQuery } from './api.ts';
import { CaseBadges, PersonName, useFormatCaseTitle, useFormatReasons } from './case-labels.tsx';
import { CaseSection } from './case-section.tsx';
import { ClaimBar } from './claim-bar.tsx';
import { DecideForm } from './decide-form.tsx';
import { DecisionList } from './decision-list.tsx';
import { LinkedAds } from './linked-ads.tsx';
import { ReportList } from './report-list.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { useClaim } from './use-claim.ts';
import { useNextCase } from './use-next-case.ts';
import { useText } from '../text.ts';
import { ContentVersions } from './content-versions.tsx';
import styles from './case-page.module.css';

/** The page `/admin/moderation/cases/:id`. It shows a moderation case and the form for its decision. */
export default function CasePage() {
  const { id = '' } = useParams();
  // The React key resets the forms of the page when the moderator opens another case.
  return <CaseLoader key={id} id={id} />;
}

function CaseLoader({ id }: { readonly id: string }) {
  const t = useText();
  const result = useQuery(caseQuery(useApi(), id));
  if (isApiError(result.error) && result.error.status === 404 && !result.data) {
    return (
      <Page>
        <EmptyState
          title={<PageHeading documentTitle={t('moderation.unknown')}>{t('moderation.unknown')}</PageHeading>}
          actions={<LinkButton to="/admin/moderation">{t('moderation.toQueue')}</LinkButton>}
        />
      </Page>
    );
  }
  if (result.data) return <Case view={result.data.data} />;
  return (
    <Page>
      <PageHeading documentTitle={t('moderation.case')}>{t('moderation.case')}</PageHeading>
      <QueryView query={result} failedText={t('moderation.caseFailed')} loadingHeight="24rem">
        {() => null}
      </QueryView>
    </Page>
  );
}

type DecisionKind = 'decision' | 'appeal';

/**
 * Returns which form the page shows. The form stays visible when the claim has expired or another moderator has claimed
 * or decided the case, so that the moderator does not lose the text. It closes when the moderator releases the case.
 */
function useDecisionForm({ canDecide, appeal }: CaseView) {
  const current: DecisionKind = appeal === null ? 'decision' : 'appeal';
  const [opened, setOpened] = useState<DecisionKind | null>(null);
  const [isReleased, setReleased] = useState(false);
  if (isReleased) {
    // The data of the page still contains the released claim until it is fetched again.
    if (!canDecide) {
      setReleased(false);
      setOpened(null);
    }
  } else if (canDecide && opened !== current) setOpened(current);
  const form = isReleased ? null : canDecide ? current : opened;
  return { form, onReleased: () => setReleased(true) };
}

function Case({ view }: { readonly view: CaseView }) {
  const t = useText();
  const { form, onReleased } = useDecisionForm(view);
  const titleOf = useFormatCaseTitle();
  const reasonsOf = useFormatReasons();
  const title = titleOf(view);
  const reports = <ReportList reports={view.reports} isLow={form !== null} />;
  const judging = useRef<HTMLDivElement>(null);
  const openNext = useNextCase(view.id);
  const claim = useClaim(view.id);
  const focusForm = () => judging.current?.querySelector<HTMLInputElement>('input[type=radio]')?.focus();
  const actions = {
    n: () => void openNext(),
    ...(view.canClaim && !claim.isPending && { c: () => claim.mutate('claim') }),
    ...(form !== null && { d: focusForm }),
  };
  const { owner, reasons, openedAt, appealedAt, state } = view;
  return (
    <Page>
      <Breadcrumbs items={[{ label: t('nav.moderation'), to: '/admin/moderation' }, { label: t('moderation.case') }]} />
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
        <CaseLinks view={view} />
      </header>
      <Shortcuts actions={actions} />
      <ClaimBar view={view} hasForm={form !== null} onReleased={onReleased} />
      <div className={styles['columns']}>
        <div className={styles['column']}>
          {view.appeal !== null && (
            <CaseSection id="appeal" title={t('moderation.appealTitle')}>
              <p className={styles['words']} dir="auto">
                {view.appeal.text}
              </p>
              <p className={styles['facts']}>
                <TimeAgo at={view.appeal.filedAt} />
              </p>
            </CaseSection>
          )}
          {view.response !== null && (
            <CaseSection id="response" title={t('moderation.response')}>
              <p className={styles['words']} dir="auto">
                {view.response.text}
              </p>
              <p className={styles['facts']}>
                <TimeAgo at={view.response.at} />
              </p>
            </CaseSection>
          )}
          <ContentVersions
            subject={view.subject}
            judged={view.judged}
            now={view.now}
            hiddenPhotos={view.hiddenPhotos ?? []}
          />
          <LinkedAds links={view.links} />
        </div>
        <div className={styles['column']}>
          {/* The reports stay next to the form, and scroll in a low area, so that the form stays visible. */}
          {form !== null ? (
            <div ref={judging} className={classNames(layout['shrink'], styles['judging'])}>
              {reports}
              {form === 'decision' ? (
                <DecideForm view={view} />
              ) : (
                <CaseSection id="decide" title={t('moderation.decide')}>
                  <AppealReview view={view} />
                </CaseSection>
              )}
            </div>
          ) : (
            reports
          )}
        </div>
        <div className={classNames(layout['stack5'], layout['top'], layout['shrink'], styles['earlier'])}>
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

/**
 * Links to a page with the reported content, to its history and to its owner. The page with an ad that visitors do not
 * see is in the panel. It also contains the history.
 */
function CaseLinks({ view: { path, subject, owner } }: { readonly view: CaseView }) {
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
      {path !== null && (
        <Link to={path}>{t(path.startsWith('/admin/') ? 'moderation.toHidden' : 'moderation.toPage')}</Link>
      )}
      {history !== null && history !== path && <Link to={history}>{t('moderation.toHistory')}</Link>}
      {isAdmin && owner !== null && <Link to={`/admin/users/${owner.id}`}>{t('moderation.toOwner')}</Link>}
    </p>
  );
}
