import { useInfiniteQuery } from '@tanstack/react-query';
import type { ParkedEventView } from '@alpenglow/domain/contracts';
import { Button, Dialog, EmptyState, layout, PagedList, useApi, useWrite } from '@alpenglow/ui';
import { formatProjectionName } from '../panel/part-names.ts';
import { RawText } from '../panel/raw-text.tsx';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import { useFormatTime } from '../panel/use-format-time.ts';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { translateOr, useText } from '../text.ts';
import { parkedQuery, replayRequests, REPLAY_KEY } from './api.ts';
import { useReplayAction } from './use-replay-action.ts';
import styles from './projections-page.module.css';

/**
 * Lists the parked events of a projection, which are the events that the projection could not handle. Each entry shows
 * the error, the event without personal data, and buttons to retry or skip the event.
 */
export function ParkedDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const action = useWrite(useReplayAction());
  const list = useInfiniteQuery(parkedQuery(api, name));
  const skip = useReasonAction<string>({
    send: (position, reason) => replayRequests(api).skip(name, position, reason),
    dialog: (position) => ({
      draftName: `skip.${name}.${position}`,
      title: t('replay.skipTitle'),
      text: t('replay.skipText', { name: formatProjectionName(t, name) }),
      confirmLabel: t('replay.skip'),
      isDangerous: true,
    }),
    doneText: () => t('replay.doneAsked', { name: formatProjectionName(t, name) }),
    failedText: () => t('replay.deedFailed'),
    affectedQueries: () => ({ queryKey: REPLAY_KEY }),
  });
  if (skip.dialog) return skip.dialog;
  return (
    <Dialog open title={t('replay.parkedEvents', { name: formatProjectionName(t, name) })} onClose={onClose}>
      <PagedList
        list={list}
        failedText={t('replay.parkedFailed')}
        empty={<EmptyState title={t('replay.parkedNone')} />}
        loadingHeight="12rem"
      >
        {(events) => (
          <ul role="list" className={styles['parked']}>
            {events.map((event) => (
              <ParkedEvent
                key={event.position}
                parked={event}
                isBusy={action.isPending}
                onRetry={() => action.mutate({ type: 'retry', name, position: event.position })}
                onSkip={() => skip.openDialog(event.position)}
              />
            ))}
          </ul>
        )}
      </PagedList>
    </Dialog>
  );
}

interface ParkedEventProps {
  readonly parked: ParkedEventView;
  readonly isBusy: boolean;
  readonly onRetry: () => void;
  readonly onSkip: () => void;
}

function ParkedEvent({ parked: { type, stream, error, event }, isBusy, onRetry, onSkip }: ParkedEventProps) {
  const t = useText();
  const formatTime = useFormatTime('medium');
  return (
    <li>
      <h3>{translateOr(t, `event.${type}`, t('replay.someEvent'))}</h3>
      {event && <p className={styles['stream']}>{formatTime(event.at)}</p>}
      <p className={error === null ? undefined : styles['error']}>{error ?? t('replay.waits')}</p>
      {event === null && <p>{t('replay.unreadable')}</p>}
      {event && error !== null && (
        <>
          <RawText label={t('replay.data')}>{JSON.stringify(event.data, null, 2)}</RawText>
          {event.sealed.length > 0 && <p>{t('replay.sealed', { fields: event.sealed.join(', ') })}</p>}
        </>
      )}
      <TechnicalDetails>
        <p>
          {t('log.type')} <code>{type}</code> · {t('log.of')} <code>{stream}</code>
          {event && (
            <>
              {' '}
              · {t('log.actor')} <code>{event.actor}</code>
            </>
          )}
        </p>
      </TechnicalDetails>
      {error !== null && (
        <div className={layout['row2']}>
          <Button size="small" disabled={isBusy} onClick={onRetry}>
            {t('replay.retry')}
          </Button>
          <Button size="small" variant="danger" disabled={isBusy} onClick={onSkip}>
            {t('replay.skip')}
          </Button>
        </div>
      )}
    </li>
  );
}
