import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ParkedEventView } from '@alpenglow/domain/contracts';
import { Button, Dialog, EmptyState, ErrorBox, messageOf, useApi, useLocale } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { More } from '../panel/more.tsx';
import { RawText } from '../panel/raw-text.tsx';
import { ReasonDialog } from '../panel/reason-dialog.tsx';
import { parkedQuery } from './calls.ts';
import { useText } from './text.ts';
import { useReplayDeed } from './use-replay-deed.ts';
import styles from './projections-page.module.css';

/** What a projection has set aside: the error, the event without anything personal, and what can be done about it. */
export function ParkedDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const deed = useReplayDeed();
  const [skipping, setSkipping] = useState<string | null>(null);
  const list = useInfiniteQuery(parkedQuery(api, name));
  const events = list.data?.pages.flatMap(({ data }) => data) ?? [];
  if (skipping !== null) {
    return (
      <ReasonDialog
        title={t('replay.skipTitle')}
        confirmLabel={t('replay.skip')}
        isDangerous
        isBusy={deed.isPending}
        onClose={() => setSkipping(null)}
        onConfirm={(reason) =>
          deed.mutate({ what: 'skip', name, position: skipping, reason }, { onSettled: () => setSkipping(null) })
        }
      >
        <p>{t('replay.skipText', { name })}</p>
      </ReasonDialog>
    );
  }
  return (
    <Dialog open title={t('replay.parkedEvents', { name })} onClose={onClose}>
      {list.isPending && <Loading height="12rem" />}
      {list.isError && events.length === 0 && (
        <ErrorBox message={messageOf(list.error, t('replay.parkedFailed'))} onRetry={() => void list.refetch()} />
      )}
      {list.data && events.length === 0 && <EmptyState title={t('replay.parkedNone')} />}
      <ul role="list" className={styles['parked']}>
        {events.map((event) => (
          <ParkedEvent
            key={event.position}
            parked={event}
            isBusy={deed.isPending}
            onRetry={() => deed.mutate({ what: 'retry', name, position: event.position })}
            onSkip={() => setSkipping(event.position)}
          />
        ))}
      </ul>
      <More list={list} />
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
  const locale = useLocale();
  return (
    <li>
      <h3>{type}</h3>
      <p className={styles['stream']}>{stream}</p>
      {event && (
        <p className={styles['stream']}>
          {t('replay.by', {
            actor: event.actor,
            time: new Date(event.at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
          })}
        </p>
      )}
      <p className={error === null ? undefined : styles['error']}>{error ?? t('replay.waits')}</p>
      {event === null && <p>{t('replay.unreadable')}</p>}
      {event && error !== null && (
        <>
          <RawText label={t('replay.data')}>{JSON.stringify(event.data, null, 2)}</RawText>
          {event.sealed.length > 0 && <p>{t('replay.sealed', { fields: event.sealed.join(', ') })}</p>}
        </>
      )}
      {error !== null && (
        <div className={styles['buttons']}>
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
