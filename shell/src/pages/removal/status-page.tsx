import { REMOVAL_TEXT_MAX, removalTextFields, type RemovalView } from '@alpenglow/domain/contracts';
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  EmptyState,
  ErrorBox,
  errorsByField,
  Field,
  isApiError,
  LinkButton,
  Loading,
  messageOf,
  Page,
  PageHeading,
  QueryError,
  serverText,
  TAB_KEYS,
  TextArea,
  useApi,
  useHost,
  useLinkToken,
  useLocale,
  useSend,
} from '@alpenglow/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useParams } from 'react-router-dom';
import { addNote, appeal, requestQuery, withdraw, type RequestAccess } from './api.ts';
import { useText } from './text.ts';
import styles from './removal.module.css';

/** The private page `/removal/{id}#token` of a removal request. */
export default function RemovalStatusPage() {
  const t = useText();
  const { id = '' } = useParams();
  const token = useLinkToken(TAB_KEYS.removal + id);
  if (token === null) return <Unknown text={t('removal.wholeLink')} />;
  return <Status key={`${id} ${token}`} access={{ id, token }} />;
}

function Unknown({ text }: { readonly text: string }) {
  const t = useText();
  return (
    <Page narrow>
      <EmptyState
        title={<PageHeading documentTitle={t('removal.yours')}>{t('removal.yours')}</PageHeading>}
        actions={<LinkButton to="/removal">{t('removal.new')}</LinkButton>}
      >
        <p>{text}</p>
      </EmptyState>
    </Page>
  );
}

function Status({ access }: { readonly access: RequestAccess }) {
  const t = useText();
  const request = useQuery(requestQuery(useApi(), access));
  if (isApiError(request.error) && request.error.status === 404) return <Unknown text={t('removal.wholeLink')} />;
  return (
    <Page narrow>
      <PageHeading documentTitle={t('removal.yours')}>{t('removal.yours')}</PageHeading>
      <div className={styles['sections']}>
        {request.isPending && <Loading height="20rem" />}
        {request.isError && !request.data && <QueryError query={request} text={t('removal.loadFailed')} />}
        {request.data && <Content request={request.data.data} access={access} />}
      </div>
    </Page>
  );
}

const TONES = {
  open: 'accent',
  appealed: 'accent',
  valid: 'accent',
  completed: 'success',
  rejected: 'danger',
  withdrawn: 'neutral',
} as const;

function Content({ request, access }: { readonly request: RemovalView; readonly access: RequestAccess }) {
  const t = useText();
  const locale = useLocale();
  const format = (time: string) => new Date(time).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' });
  const formatDay = (time: string) => new Date(time).toLocaleDateString(locale, { dateStyle: 'long' });
  const { status, deadline, contents, links, notes, decision, appeal: filed, appealDecision, completed } = request;
  const hidden = contents.filter(({ isHidden }) => isHidden).length;
  return (
    <>
      <Card>
        <dl className={styles['facts']}>
          <dt>{t('removal.reference')}</dt>
          <dd>
            <strong>{request.reference}</strong>
          </dd>
          <dt>{t('removal.status')}</dt>
          <dd>
            <Badge tone={TONES[status]}>{t(`removal.status.${status}`)}</Badge>
          </dd>
          <Fact label={t('removal.requestedAt')}>{format(request.requestedAt)}</Fact>
          {deadline !== null && <Fact label={t('removal.deadline')}>{format(deadline)}</Fact>}
          <Fact label={t('removal.contents')}>
            {t('removal.found', { count: contents.length, hidden, visible: contents.length - hidden })}
          </Fact>
          {links.length > 0 && (
            <Fact label={t('removal.links')}>
              <span className={styles['words']}>{links.join('\n')}</span>
            </Fact>
          )}
          {request.hashCount > 0 && (
            <Fact label={t('removal.pictures')}>{t('removal.pictureCount', { count: request.hashCount })}</Fact>
          )}
          {decision !== null && <Fact label={t('removal.reasons')}>{decision.facts}</Fact>}
          {appealDecision !== null && <Fact label={t('removal.appealReasons')}>{appealDecision.facts}</Fact>}
          {completed !== null && (
            <Fact label={t('removal.removed')}>
              {t('removal.removedCount', { count: completed.removed, copies: completed.copies })}{' '}
              {t('removal.backups', { date: formatDay(completed.backupsUntil) })}
            </Fact>
          )}
          {notes.length > 0 && (
            <Fact label={t('removal.notes')}>
              <span className={styles['words']} dir="auto">
                {notes.map(({ text }) => text).join('\n\n')}
              </span>
            </Fact>
          )}
          {filed !== null && (
            <Fact label={t('removal.appeal')}>
              <span className={styles['words']} dir="auto">
                {filed.text}
              </span>
            </Fact>
          )}
        </dl>
        {request.isErased && <p>{t('removal.erased')}</p>}
      </Card>
      {request.canAdd && (
        <TextForm
          access={access}
          title={t('removal.add')}
          text={t('removal.addText')}
          label={t('removal.addLabel')}
          send={addNote}
        />
      )}
      {request.canAdd && status === 'open' && <Withdraw access={access} />}
      {request.appealableUntil !== null && (
        <TextForm
          access={access}
          title={t('removal.appeal')}
          text={t('removal.appealText', { date: formatDay(request.appealableUntil) })}
          label={t('removal.appealLabel')}
          send={appeal}
        />
      )}
    </>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

interface TextFormProps {
  readonly access: RequestAccess;
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly send: typeof addNote | typeof appeal;
}

/** A form with one text, which is added to the request or is an appeal. */
function TextForm({ access, title, text: explanation, label, send: sendText }: TextFormProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const send = useSend({
    mutationFn: (words: string) => sendText(api, access, words),
    onSuccess: async ({ message }) => {
      setText('');
      notify({ text: serverText(message), tone: 'success' });
      await queryClient.invalidateQueries({ queryKey: requestQuery(api, access).queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending) return;
    const validation = removalTextFields.safeParse({ text });
    setError(validation.success ? null : (errorsByField(validation.error)['text'] ?? null));
    if (validation.success) send.mutate(validation.data.text);
  };
  return (
    <Card>
      <section aria-label={title}>
        <form noValidate className={styles['section']} onSubmit={submit}>
          <h2>{title}</h2>
          <p>{explanation}</p>
          <Field label={label} error={error}>
            <TextArea
              required
              dir="auto"
              maxLength={REMOVAL_TEXT_MAX}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          </Field>
          {send.isError && <ErrorBox message={messageOf(send.error, t('removal.failed'))} />}
          <Button type="submit" variant="primary" busy={send.isPending}>
            {send.isPending ? t('removal.sending') : t('removal.sendText')}
          </Button>
        </form>
      </section>
    </Card>
  );
}

function Withdraw({ access }: { readonly access: RequestAccess }) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const send = useSend({
    mutationFn: () => withdraw(api, access),
    onSuccess: async ({ message }) => {
      setOpen(false);
      notify({ text: serverText(message), tone: 'success' });
      await queryClient.invalidateQueries({ queryKey: requestQuery(api, access).queryKey });
    },
  });
  return (
    <>
      <div>
        <Button onClick={() => setOpen(true)}>{t('removal.withdraw')}</Button>
      </div>
      <ConfirmDialog
        open={isOpen}
        title={t('removal.withdraw')}
        confirmLabel={t('removal.withdraw')}
        cancelLabel={t('removal.cancel')}
        busy={send.isPending}
        problem={send.isError ? messageOf(send.error, t('removal.failed')) : null}
        onConfirm={() => send.mutate()}
        onCancel={() => setOpen(false)}
      >
        <p>{t('removal.withdrawText')}</p>
      </ConfirmDialog>
    </>
  );
}
