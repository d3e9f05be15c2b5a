import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router-dom';
import type { RequestView } from '@alpenglow/domain/contracts';
import {
  Badge,
  Button,
  DataTable,
  EmptyState,
  Field,
  Page,
  QueryView,
  TextInput,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { formatEventName, formatTime } from '../history/labels.ts';
import { PageIntro } from '../panel/page-intro.tsx';
import { formatConsumerName, formatSystemName } from '../panel/part-names.ts';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import filterForm from '../panel/filter-form.module.css';
import { useText } from '../text.ts';
import { REQUEST_ID, requestQuery } from './api.ts';

type RequestEvent = RequestView['events'][number];

/**
 * The page `/admin/requests`. An admin enters the id of an error screen or of a response, and sees the request, its
 * events and how far they are handled.
 */
export default function RequestsPage() {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const id = search.get('id') ?? '';
  const [typed, setTyped] = useState(id);
  const [isInvalid, setInvalid] = useState(false);
  return (
    <Page>
      <PageIntro title={t('nav.requests')}>{t('requests.lead')}</PageIntro>
      <form
        role="search"
        className={filterForm['filter']}
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = typed.trim();
          setInvalid(!REQUEST_ID.test(wanted));
          if (REQUEST_ID.test(wanted)) setSearch({ id: wanted });
        }}
      >
        <Field label={t('requests.id')} error={isInvalid ? t('requests.idInvalid') : undefined}>
          <TextInput
            maxLength={80}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Field>
        <div className={filterForm['actions']}>
          <Button type="submit" variant="primary">
            {t('requests.find')}
          </Button>
        </div>
      </form>
      {REQUEST_ID.test(id) && <FoundRequest key={id} id={id} />}
    </Page>
  );
}

function FoundRequest({ id }: { readonly id: string }) {
  const t = useText();
  const found = useQuery(requestQuery(useApi(), id));
  return (
    <QueryView query={found} failedText={t('requests.failed')} loadingHeight="16rem">
      {({ data: { failures, events, traceId } }) => (
        <>
          {failures.length === 0 && events.length === 0 && (
            <EmptyState title={t('requests.none')}>
              <p>{t('requests.noneText')}</p>
            </EmptyState>
          )}
          {failures.length > 0 && <FailureTable failures={failures} />}
          {events.length > 0 && <EventTable events={events} />}
          <TechnicalDetails>
            {t('requests.trace')} <code>{traceId}</code>
          </TechnicalDetails>
        </>
      )}
    </QueryView>
  );
}

function FailureTable({ failures }: Pick<RequestView, 'failures'>) {
  const t = useText();
  const locale = useLocale();
  return (
    <section aria-labelledby="request-failures">
      <h2 id="request-failures">{t('requests.failures')}</h2>
      <DataTable
        label={t('requests.failures')}
        rows={failures}
        getKey={({ at, service }) => `${at} ${service}`}
        columns={[
          { head: t('requests.time'), cell: ({ at }) => <time dateTime={at}>{formatTime(locale, at)}</time> },
          { head: t('requests.request'), cell: ({ method, path }) => <code>{`${method} ${path}`}</code> },
          {
            head: t('requests.response'),
            cell: ({ status, code }) => (
              <>
                <Badge tone={status >= 500 ? 'danger' : 'neutral'}>{status}</Badge>{' '}
                {code !== null && <code>{code}</code>}
              </>
            ),
          },
          { head: t('requests.cause'), cell: ({ cause }) => cause ?? '–' },
          {
            head: t('requests.service'),
            cell: ({ service, duration_ms }) => `${service}, ${duration_ms.toLocaleString(locale)} ms`,
          },
        ]}
      />
    </section>
  );
}

function EventTable({ events }: Pick<RequestView, 'events'>) {
  const t = useText();
  const locale = useLocale();
  return (
    <section aria-labelledby="request-events">
      <h2 id="request-events">{t('requests.events')}</h2>
      <DataTable
        label={t('requests.events')}
        rows={events}
        getKey={({ id }) => id}
        columns={[
          {
            head: t('requests.event'),
            cell: ({ type, id, stream, revision, position }) => (
              <>
                {formatEventName(t, type)}
                <TechnicalDetails>
                  <code>{`${type} ${id} ${stream}@${revision} ${position}`}</code>
                </TechnicalDetails>
              </>
            ),
          },
          { head: t('requests.time'), cell: ({ at }) => <time dateTime={at}>{formatTime(locale, at)}</time> },
          { head: t('requests.actor'), cell: ({ actor }) => <ActorOfEvent actor={actor} /> },
          { head: t('requests.handling'), cell: (event) => <Handling event={event} /> },
        ]}
      />
    </section>
  );
}

function ActorOfEvent({ actor: { kind, id, name } }: Pick<RequestEvent, 'actor'>) {
  const t = useText();
  if (kind === 'system') return <>{formatSystemName(t, id)}</>;
  return <Link to={`/admin/users/${encodeURIComponent(id)}`}>{name ?? t('table.formerMember')}</Link>;
}

/** Which consumers have not handled an event yet, and which jobs of the event have not finished. */
function Handling({ event: { handled, pending, parked, jobs } }: { readonly event: RequestEvent }) {
  const t = useText();
  return (
    <>
      {pending.length === 0 && parked.length === 0 && jobs.length === 0 && (
        <Badge tone="success">{t('requests.handledByAll', { count: handled })}</Badge>
      )}
      {parked.map(({ name, error }) => (
        <p key={name}>
          <Badge tone="danger">{t('requests.parked')}</Badge> {formatConsumerName(t, name)} {error}
        </p>
      ))}
      {pending.map(({ name, isFailing }) => (
        <p key={name}>
          <Badge tone={isFailing ? 'danger' : 'neutral'}>
            {t(isFailing ? 'requests.failing' : 'requests.pending')}
          </Badge>{' '}
          {formatConsumerName(t, name)}
        </p>
      ))}
      {jobs.map(({ kind }) => (
        <p key={kind}>
          <Badge tone="neutral">{t('requests.job')}</Badge> <Link to="/admin/jobs">{kind}</Link>
        </p>
      ))}
    </>
  );
}
