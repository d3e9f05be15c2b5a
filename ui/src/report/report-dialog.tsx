import { useId, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import {
  HIDING_REASONS,
  parsePostId,
  photoUrl,
  REPORT_REASONS,
  REPORT_DETAILS_MAX,
  type NewReport,
} from '@alpenglow/domain/contracts';
import { useApi } from '../api/api-context.tsx';
import { getErrorMessage } from '../api/api-error.ts';
import { useIdempotencyKey } from '../api/use-idempotency-key.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { RestoredText } from '../components/draft-note.tsx';
import { focusFirstError } from '../components/field-errors.ts';
import { Field, Radio, RadioGroup, TextArea } from '../components/field.tsx';
import { ErrorBox } from '../components/state-box.tsx';
import { useTextDraft } from '../host/use-text-draft.ts';
import { useSend } from '../api/use-send.ts';
import { RichText, useText } from './text.ts';
import layout from '../components/layout.module.css';
import styles from './report-dialog.module.css';

/** The reported content. It has the format of the `POST /reports` request. */
export type ReportSubject = NewReport['subject'];

export interface ReportDialogProps {
  readonly subject: ReportSubject;
  readonly onClose: () => void;
}

/**
 * The dialog with which visitors report content. No account is required (T-3). After the report was sent, the dialog
 * shows its reference number.
 */
export function ReportDialog({ subject, onClose }: ReportDialogProps) {
  const [reference, setReference] = useState<string | null>(null);
  if (reference !== null) return <ReportSent reference={reference} onClose={onClose} />;
  return <ReportForm subject={subject} onClose={onClose} onSent={setReference} />;
}

/** Returns the address of the reported content, which a removal request names. */
function addressOf({ kind, id }: ReportSubject): string {
  const { threadId = id, number = 0 } = parsePostId(id) ?? {};
  const paths: Readonly<Record<ReportSubject['kind'], string>> = {
    ad: `/ad/${id}`,
    // A profile is reported by an ad of its owner.
    account: `/ad/${id}`,
    media: photoUrl(id),
    thread: `/community/${id}`,
    // Post 0 is the text with which a thread begins.
    post: number === 0 ? `/community/${threadId}` : `/community/${threadId}?post=${number}`,
    article: `/blog/${id}`,
  };
  return location.origin + paths[kind];
}

/** Fraction of the maximum length from which the number of remaining characters is shown. */
const NEAR_LIMIT = 0.85;

function ReportForm(props: ReportDialogProps & { readonly onSent: (reference: string) => void }) {
  const { subject, onClose, onSent } = props;
  const t = useText();
  const api = useApi();
  const name = useId();
  // A report may contain personal data of other people, so its text is stored in this tab only.
  const draft = useTextDraft(`report.${subject.kind}.${subject.id}`, { in: 'tab' });
  const [reason, setReason] = useState<NewReport['reason'] | null>(
    REPORT_REASONS.find((id) => id === draft.texts['reason']) ?? null,
  );
  const [text, setText] = useState(draft.texts['text'] ?? '');
  const [error, setError] = useState<string | null>(null);
  const content = useRef<HTMLDivElement>(null);
  const sendOnce = useIdempotencyKey();
  const send = useSend({
    mutationFn: (selected: NewReport['reason']) =>
      sendOnce((key) =>
        api.request<'fileReport'>({
          method: 'POST',
          path: '/reports',
          body: { subject, reason: selected, text: text.trim() === '' ? null : text.trim() },
          headers: { 'Idempotency-Key': key },
        }),
      ),
    onSuccess: ({ data }) => {
      draft.clear();
      onSent(data.reference);
    },
  });
  const save = (newReason: typeof reason, newText: string) =>
    draft.save(newText.trim() === '' ? {} : { reason: newReason ?? '', text: newText });
  const submit = () => {
    setError(reason === null ? t('report.chooseReason') : null);
    if (reason === null) focusFirstError(content.current);
    else send.mutate(reason);
  };
  // Reports never hide blog articles, because the site's operator writes them.
  const canHide = subject.kind !== 'article';
  return (
    <Dialog
      open
      sheet
      title={t(`report.title.${subject.kind}`)}
      onClose={send.isPending ? undefined : onClose}
      actions={
        <>
          <Button onClick={onClose} disabled={send.isPending}>
            {t('common.cancel')}
          </Button>
          <Button variant="primary" busy={send.isPending} onClick={submit}>
            {send.isPending ? t('report.sending') : t('report.send')}
          </Button>
        </>
      }
    >
      <div ref={content} className={styles['words']}>
        <p className={layout['muted']}>{t('report.intro')}</p>
        <p className={styles['danger']}>
          <RichText id="report.danger" components={{ help: <Link to="/help" target="_blank" /> }} />
        </p>
        <p>
          <RichText
            id="report.removal"
            components={{
              removal: <Link to={`/removal?link=${encodeURIComponent(addressOf(subject))}`} target="_blank" />,
            }}
          />
        </p>
        <RadioGroup legend={t('report.reason')} error={error}>
          {REPORT_REASONS.map((id) => (
            <Radio
              key={id}
              name={name}
              value={id}
              checked={reason === id}
              onChange={() => {
                setReason(id);
                setError(null);
                save(id, text);
              }}
              label={t(`report.reason.${id}`)}
              hint={canHide && HIDING_REASONS.includes(id) ? t('report.hidesAtOnce') : undefined}
            />
          ))}
        </RadioGroup>
        <RestoredText draft={draft} onDiscard={() => setText('')} />
        <Field
          label={t('report.text')}
          optional
          hint={
            text.length < REPORT_DETAILS_MAX * NEAR_LIMIT
              ? t('report.textHint')
              : t('report.left', { count: REPORT_DETAILS_MAX - text.length })
          }
        >
          <TextArea
            dir="auto"
            maxLength={REPORT_DETAILS_MAX}
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              save(reason, target.value);
            }}
          />
        </Field>
        {send.isError && <ErrorBox message={getErrorMessage(send.error, t('report.failed'))} />}
      </div>
    </Dialog>
  );
}

function ReportSent({ reference, onClose }: { readonly reference: string; readonly onClose: () => void }) {
  const t = useText();
  return (
    <Dialog
      open
      title={t('report.done')}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      <div className={styles['words']}>
        <p role="status">{t('report.doneText')}</p>
        <p className={styles['number']}>
          <span>
            {t('report.reference')} <strong>{reference}</strong>
          </span>
          <CopyButton text={reference} />
        </p>
        <h3>{t('report.next')}</h3>
        <ol>
          <li>{t('report.next.1')}</li>
          <li>{t('report.next.2')}</li>
          <li>
            <RichText id="report.next.3" components={{ help: <Link to="/help#ask" onClick={onClose} /> }} />
          </li>
        </ol>
      </div>
    </Dialog>
  );
}

/**
 * A button that copies a text. The button itself shows that the text was copied, because the dialog would cover a
 * toast.
 */
function CopyButton({ text }: { readonly text: string }) {
  const t = useText();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // The browser denies access to the clipboard. The visitor can select the visible number instead.
    }
  };
  return (
    <Button size="small" aria-live="polite" onClick={() => void copy()}>
      {isCopied ? t('report.copied') : t('report.copy')}
    </Button>
  );
}
