import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router-dom';
import type { StaffRemovalView } from '@alpenglow/domain/contracts';
import {
  Badge,
  Breadcrumbs,
  Button,
  Card,
  EmptyState,
  isApiError,
  layout,
  Loading,
  Page,
  PageHeading,
  QueryError,
  useApi,
  useUser,
} from '@alpenglow/ui';
import { Facts } from '../panel/facts.tsx';
import { Thumbnail } from '../panel/thumbnail.tsx';
import { useFormatTime } from '../panel/use-format-time.ts';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { useText } from '../text.ts';
import { decide, removalQuery, REMOVALS_KEY, STATUS_TONES, type Decision } from './api.ts';
import { ExportButton } from './export-button.tsx';
import { TimeLeft } from './time-left.tsx';
import styles from './removals.module.css';

/** The page `/admin/removals/{id}` with one removal request, which a moderator decides. */
export default function RemovalPage() {
  const t = useText();
  const { id = '' } = useParams();
  const request = useQuery(removalQuery(useApi(), id));
  const isUnknown = isApiError(request.error) && request.error.status === 404;
  const title = request.data?.data.reference ?? t('nav.removals');
  return (
    <Page>
      <Breadcrumbs
        items={[
          { label: t('title'), to: '/admin' },
          { label: t('nav.removals'), to: '/admin/removals' },
          { label: title },
        ]}
      />
      <PageHeading documentTitle={title}>{title}</PageHeading>
      {request.isPending && <Loading height="20rem" />}
      {isUnknown && <EmptyState title={t('removals.unknown')} />}
      {request.isError && !isUnknown && !request.data && <QueryError query={request} text={t('removals.failed')} />}
      {request.data && <Request request={request.data.data} />}
    </Page>
  );
}

function Request({ request }: { readonly request: StaffRemovalView }) {
  const t = useText();
  const isAdmin = useUser()?.isAdmin === true;
  const { status, canDecide } = request;
  const decisions: readonly Decision[] = status === 'appealed' ? ['overturned', 'upheld'] : ['valid', 'rejected'];
  return (
    <div className={styles['page']}>
      <Card>
        <RequestFacts request={request} />
      </Card>
      <Contents contents={request.contents} />
      {canDecide && <DecisionButtons id={request.id} decisions={decisions} />}
      {(status === 'open' || status === 'appealed') && !canDecide && <p>{t('removals.anotherModerator')}</p>}
      {isAdmin && <ExportButton id={request.id} />}
    </div>
  );
}

function RequestFacts({ request }: { readonly request: StaffRemovalView }) {
  const t = useText();
  const formatTime = useFormatTime();
  const { status, deadline, decision, appeal, appealDecision, completed, isErased } = request;
  const lines = (texts: readonly string[]): ReactNode => (
    <span className={styles['words']} dir="auto">
      {texts.join('\n')}
    </span>
  );
  return (
    <Facts
      facts={[
        [
          t('removals.status'),
          <>
            <Badge tone={STATUS_TONES[status]}>{t(`removals.status.${status}`)}</Badge>{' '}
            {deadline !== null && <TimeLeft deadline={deadline} />}
          </>,
        ],
        [t('removals.received'), formatTime(request.requestedAt)],
        ...(deadline === null ? [] : [[t('removals.deadline'), formatTime(deadline)] as const]),
        ...(request.hidesAtOnce ? [] : [[t('removals.limited'), t('removals.limitedText')] as const]),
        ...(isErased
          ? [[t('removals.erased'), t('removals.erasedText')] as const]
          : [
              [
                t('removals.requester'),
                [request.name, request.email].filter((text) => text !== null).join(' · '),
              ] as const,
              [t('removals.relation'), t(`removals.relation.${request.relation}`)] as const,
              [t('removals.signature'), request.signature] as const,
              [t('removals.links'), lines(request.links)] as const,
            ]),
        ...(request.hashes.length === 0 ? [] : [[t('removals.hashes'), request.hashes.length] as const]),
        ...(request.notes.length === 0
          ? []
          : [[t('removals.notes'), lines(request.notes.map(({ text }) => text))] as const]),
        ...(decision === null ? [] : [[t('removals.reasons'), lines([decision.facts])] as const]),
        ...(appeal === null ? [] : [[t('removals.appeal'), lines([appeal.text])] as const]),
        ...(appealDecision === null ? [] : [[t('removals.appealReasons'), lines([appealDecision.facts])] as const]),
        ...(completed === null
          ? []
          : [
              [
                t('removals.completed'),
                t('removals.completedText', { count: completed.removed, copies: completed.copies }),
              ] as const,
            ]),
      ]}
    />
  );
}

function Contents({ contents }: Pick<StaffRemovalView, 'contents'>) {
  const t = useText();
  return (
    <section aria-labelledby="contents" className={styles['section']}>
      <h2 id="contents">{t('removals.contents')}</h2>
      {contents.length === 0 && <p className={layout['muted']}>{t('removals.noContents')}</p>}
      <ul role="list" className={styles['contents']}>
        {contents.map(({ caseId, subject, title, path, picture, isHidden, response }) => (
          <li key={caseId}>
            <Card className={styles['content']}>
              {picture !== null && <Thumbnail url={picture} isBlurred />}
              <div>
                <p>
                  {t(`moderation.kind.${subject.kind}`)}:{' '}
                  {path === null ? <bdi>{title ?? subject.id}</bdi> : <Link to={path}>{title ?? subject.id}</Link>}
                </p>
                <p>
                  <Badge tone={isHidden ? 'neutral' : 'danger'}>
                    {t(isHidden ? 'removals.hidden' : 'removals.visible')}
                  </Badge>{' '}
                  <Link to={`/admin/moderation/cases/${caseId}`}>{t('removals.case')}</Link>
                </p>
                {response !== null && (
                  <p>
                    {t('removals.response')} <bdi>{response.text}</bdi>
                  </p>
                )}
              </div>
            </Card>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface DecisionButtonsProps {
  readonly id: string;
  readonly decisions: readonly Decision[];
}

function DecisionButtons({ id, decisions }: DecisionButtonsProps) {
  const t = useText();
  const api = useApi();
  const action = useReasonAction<Decision>({
    send: (decision, facts) => decide(api, id, decision, facts),
    dialog: (decision) => ({
      draftName: `removal-${decision}.${id}`,
      title: t(`removals.decide.${decision}`),
      text: t(`removals.decideText.${decision}`),
      confirmLabel: t(`removals.decide.${decision}`),
      isDangerous: decision === 'valid' || decision === 'overturned',
      hint: t('removals.factsHint'),
    }),
    doneText: () => t('removals.decided'),
    failedText: () => t('removals.decideFailed'),
    affectedQueries: () => ({ queryKey: REMOVALS_KEY }),
  });
  return (
    <div className={layout['row2']}>
      {decisions.map((decision, index) => (
        <Button
          key={decision}
          variant={index === 0 ? 'primary' : 'secondary'}
          onClick={() => action.openDialog(decision)}
        >
          {t(`removals.decide.${decision}`)}
        </Button>
      ))}
      {action.dialog}
    </div>
  );
}
