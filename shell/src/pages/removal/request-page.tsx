import {
  newRemovalFields,
  REMOVAL_LINKS_MAX,
  REMOVAL_RELATIONS,
  STATEMENT_MISSING,
  type NewRemoval,
  type NewRemovalInput,
  type RemovalRelation,
} from '@alpenglow/domain/contracts';
import {
  Button,
  Card,
  Checkbox,
  ErrorBox,
  errorsByField,
  Field,
  FieldError,
  focusFirstError,
  isApiError,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  Radio,
  RadioGroup,
  TextArea,
  TextInput,
  useApi,
  useIsHydrated,
  useLocale,
  useSend,
  useSendingKey,
} from '@alpenglow/ui';
import { useId, useRef, useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router-dom';
import { sendRequest } from './api.ts';
import { PictureChoice, type ChosenPicture } from './picture-choice.tsx';
import { RichText, useText } from './text.ts';
import styles from './removal.module.css';

/** The time and the private page of a request that was sent. */
type Receipt = Awaited<ReturnType<typeof sendRequest>>['data'];

/**
 * The page `/removal` with the form for a removal request. `?link=` fills in the link of a picture or page.
 * The form stores nothing in the browser, because other people may use the same computer.
 */
export default function RemovalRequestPage() {
  const t = useText();
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  if (receipt) return <Sent receipt={receipt} />;
  return (
    <Page narrow>
      <PageHeading documentTitle={t('removal.title')}>{t('removal.title')}</PageHeading>
      <div className={styles['intro']}>
        <p>{t('removal.intro')}</p>
        <p>
          <RichText
            id="removal.danger"
            components={{ help: <Link to="/help" />, privacy: <Link to="/privacy" target="_blank" /> }}
          />
        </p>
      </div>
      <RequestForm onSent={setReceipt} />
    </Page>
  );
}

const linesOf = (text: string) =>
  text
    .split(/\s*\n\s*/u)
    .map((line) => line.trim())
    .filter((line) => line !== '');

function RequestForm({ onSent }: { readonly onSent: (receipt: Receipt) => void }) {
  const t = useText();
  const api = useApi();
  const [search] = useSearchParams();
  const [enteredLinks, setLinks] = useState<string | null>(null);
  const isHydrated = useIsHydrated();
  // The HTML of the server is the same for all links, so the field is empty until the page is hydrated.
  const links = enteredLinks ?? (isHydrated ? search.get('link') : null) ?? '';
  const [pictures, setPictures] = useState<readonly ChosenPicture[]>([]);
  const [isReading, setReading] = useState(false);
  const [relation, setRelation] = useState<RemovalRelation | null>(null);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [isStated, setStated] = useState(false);
  const [signature, setSignature] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const form = useRef<HTMLFormElement>(null);
  const statementErrorId = useId();
  const sendOnce = useSendingKey();
  const send = useSend({
    mutationFn: (input: NewRemoval) => sendOnce((key) => sendRequest(api, input, key)),
    onSuccess: ({ data }) => onSent(data),
    onError: (error) => {
      if (!isApiError(error)) return;
      setErrors(error.fields);
      focusFirstError(form.current);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending || isReading) return;
    const hashes = pictures.map(({ hash }) => hash);
    const input = { name, email, relation, links: linesOf(links), hashes, statement: isStated, signature };
    const validation = newRemovalFields.safeParse(input satisfies Record<keyof NewRemovalInput, unknown>);
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (validation.success) send.mutate(validation.data);
    else focusFirstError(form.current);
  };
  const hasFieldErrors = isApiError(send.error) && Object.keys(send.error.fields).length > 0;
  return (
    <form ref={form} method="post" noValidate className={styles['form']} onSubmit={submit} data-needs-scripts="">
      <Field
        label={t('removal.links')}
        hint={t('removal.linksHint', { max: REMOVAL_LINKS_MAX })}
        error={errors['links']}
      >
        <TextArea
          required={pictures.length === 0}
          dir="ltr"
          autoCapitalize="off"
          spellCheck={false}
          value={links}
          onChange={({ target }) => setLinks(target.value)}
        />
      </Field>
      <PictureChoice pictures={pictures} onChange={setPictures} onReadingChange={setReading} error={errors['hashes']} />
      <RadioGroup legend={t('removal.relation')} error={errors['relation']}>
        {REMOVAL_RELATIONS.map((id) => (
          <Radio
            key={id}
            name="relation"
            value={id}
            checked={relation === id}
            onChange={() => setRelation(id)}
            label={t(`removal.relation.${id}`)}
          />
        ))}
      </RadioGroup>
      <Field label={t('removal.name')} hint={t('removal.nameHint')} error={errors['name']}>
        <TextInput
          required
          dir="auto"
          autoComplete="name"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      <Field label={t('removal.email')} hint={t('removal.emailHint')} error={errors['email']}>
        <TextInput
          required
          type="email"
          inputMode="email"
          autoComplete="email"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </Field>
      <div>
        <Checkbox
          label={t('removal.statement')}
          checked={isStated}
          aria-invalid={errors['statement'] === undefined ? undefined : true}
          aria-describedby={errors['statement'] === undefined ? undefined : statementErrorId}
          onChange={({ target }) => setStated(target.checked)}
        />
        <FieldError id={statementErrorId} error={errors['statement'] === undefined ? null : STATEMENT_MISSING} />
      </div>
      <Field label={t('removal.signature')} hint={t('removal.signatureHint')} error={errors['signature']}>
        <TextInput
          required
          dir="auto"
          autoComplete="off"
          value={signature}
          onChange={({ target }) => setSignature(target.value)}
        />
      </Field>
      {send.isError && !hasFieldErrors && <ErrorBox message={messageOf(send.error, t('removal.failed'))} />}
      <Button type="submit" variant="primary" busy={send.isPending} disabled={isReading}>
        {send.isPending ? t('removal.sending') : t('removal.send')}
      </Button>
    </form>
  );
}

/** The receipt of a request, with what is hidden and the link of its private page. */
function Sent({ receipt }: { readonly receipt: Receipt }) {
  const { id, reference, statusUrl, deadline, contents, hidden } = receipt;
  const t = useText();
  const locale = useLocale();
  const time = new Date(deadline).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' });
  return (
    <Page narrow>
      <PageHeading documentTitle={t('removal.sent')}>{t('removal.sent')}</PageHeading>
      <div className={styles['sections']}>
        <Card>
          <div className={styles['section']} role="status">
            <p>
              {t('removal.found', { count: contents, hidden, visible: contents - hidden })}{' '}
              {t('removal.sentText', { time })}
            </p>
            <p>
              {t('removal.reference')} <strong>{reference}</strong>
            </p>
            <p>{t('removal.sentLink')}</p>
            <LinkButton variant="primary" to={`/removal/${id}${new URL(statusUrl).hash}`}>
              {t('removal.open')}
            </LinkButton>
          </div>
        </Card>
      </div>
    </Page>
  );
}
