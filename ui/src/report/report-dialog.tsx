import { useId, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import {
  HIDING_REASONS,
  REPORT_REASONS,
  REPORT_DETAILS_MAX,
  type NewReport,
  type ReportAnswer,
} from '@alpenglow/domain/contracts';
import { useApi } from '../api/api-context.tsx';
import { messageOf } from '../api/api-error.ts';
import { useSendingKey } from '../api/use-sending-key.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Field, Radio, RadioGroup, TextArea } from '../components/field.tsx';
import { ErrorBox } from '../components/state-box.tsx';
import { RichText, useText } from './text.ts';
import styles from './report-dialog.module.css';

/** What is reported, as `POST /reports` names it. */
export type ReportSubject = NewReport['subject'];

export interface ReportDialogProps {
  readonly subject: ReportSubject;
  readonly onClose: () => void;
}

/** Says what is wrong with something; anybody may, without an account (design, trust and privacy). Once it is sent, it shows the number to ask after it with. */
export function ReportDialog({ subject, onClose }: ReportDialogProps) {
  const [reference, setReference] = useState<string | null>(null);
  if (reference !== null) return <Thanks reference={reference} onClose={onClose} />;
  return <ReportForm subject={subject} onClose={onClose} onSent={setReference} />;
}

/** From this share of what fits on, it is said how much is left. */
const NEAR = 0.85;

function ReportForm({
  subject,
  onClose,
  onSent,
}: ReportDialogProps & { readonly onSent: (reference: string) => void }) {
  const t = useText();
  const api = useApi();
  const name = useId();
  const [reason, setReason] = useState<NewReport['reason'] | null>(null);
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const sendOnce = useSendingKey();
  const send = useMutation({
    mutationFn: (chosen: NewReport['reason']) =>
      sendOnce((key) =>
        api.call<ReportAnswer>({
          method: 'POST',
          path: '/reports',
          body: { subject, reason: chosen, text: text.trim() === '' ? null : text.trim() } satisfies NewReport,
          headers: { 'Idempotency-Key': key },
        }),
      ),
    onSuccess: ({ data }) => onSent(data.reference),
  });
  const submit = () => {
    setError(reason === null ? t('report.chooseReason') : null);
    if (reason !== null) send.mutate(reason);
  };
  // Articles are the operator's own: no report hides one.
  const canHide = subject.kind !== 'article';
  return (
    <Dialog
      open
      sheet
      title={t(`report.title.${subject.kind}`)}
      onClose={onClose}
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
      <div className={styles['words']}>
        <p className={styles['quiet']}>{t('report.intro')}</p>
        <p className={styles['danger']}>
          <RichText id="report.danger" components={{ help: <Link to="/help" target="_blank" /> }} />
        </p>
        <RadioGroup legend={t('report.reason')} error={error}>
          {REPORT_REASONS.map((one) => (
            <Radio
              key={one}
              name={name}
              value={one}
              checked={reason === one}
              onChange={() => setReason(one)}
              label={t(`report.reason.${one}`)}
              hint={canHide && HIDING_REASONS.includes(one) ? t('report.hidesAtOnce') : undefined}
            />
          ))}
        </RadioGroup>
        <Field
          label={t('report.text')}
          optional
          hint={
            text.length < REPORT_DETAILS_MAX * NEAR
              ? t('report.textHint')
              : t('report.left', { count: REPORT_DETAILS_MAX - text.length })
          }
        >
          <TextArea
            dir="auto"
            maxLength={REPORT_DETAILS_MAX}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
        {send.isError && <ErrorBox message={messageOf(send.error, t('report.failed'))} />}
      </div>
    </Dialog>
  );
}

function Thanks({ reference, onClose }: { readonly reference: string; readonly onClose: () => void }) {
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

/** Puts a text into the clipboard, and says so on itself: a notice would stand behind the dialog. */
function CopyButton({ text }: { readonly text: string }) {
  const t = useText();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // A browser that does not let the page write there: the number can be marked with one press.
    }
  };
  return (
    <Button size="small" aria-live="polite" onClick={() => void copy()}>
      {isCopied ? t('report.copied') : t('report.copy')}
    </Button>
  );
}
