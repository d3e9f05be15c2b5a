import { useState, type KeyboardEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { POST_BODY_MAX } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, Field, messageOf, RichHtml, Skeleton, TextArea, useApi } from '@alpenglow/ui';
import { preview } from '../api/calls.ts';
import { useText } from '../text.ts';
import { leftText } from './left-text.ts';
import styles from './write.module.css';

export interface BodyFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
  /** Ctrl or ⌘ with Enter. */
  readonly onSend: () => void;
}

/** The text of a post in Markdown, as it is written and as it will be shown. */
export function BodyField({ label, value, error, disabled = false, onChange, onSend }: BodyFieldProps) {
  const t = useText();
  const [isPreview, setPreview] = useState(false);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend();
  };
  return (
    <div className={styles['body']}>
      <div className={styles['modes']}>
        <Button
          size="small"
          variant={isPreview ? 'quiet' : 'secondary'}
          aria-pressed={!isPreview}
          onClick={() => setPreview(false)}
        >
          {t('community.write')}
        </Button>
        <Button
          size="small"
          variant={isPreview ? 'secondary' : 'quiet'}
          aria-pressed={isPreview}
          disabled={value.trim() === ''}
          onClick={() => setPreview(true)}
        >
          {t('community.preview')}
        </Button>
      </div>
      {isPreview ? (
        <Preview body={value} label={t('community.preview')} />
      ) : (
        <Field label={label} error={error} hint={leftText(t, value, POST_BODY_MAX)}>
          <TextArea
            name="body"
            dir="auto"
            required
            value={value}
            disabled={disabled}
            onChange={({ target }) => onChange(target.value)}
            onKeyDown={onKeyDown}
          />
        </Field>
      )}
      <details className={styles['help']}>
        <summary>{t('community.formatting')}</summary>
        <ul>
          {(['bold', 'list', 'quote', 'link'] as const).map((one) => (
            <li key={one}>{t(`community.formatting.${one}`)}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}

function Preview({ body, label }: { readonly body: string; readonly label: string }) {
  const t = useText();
  const api = useApi();
  const shown = useQuery({
    queryKey: ['community-preview', body],
    queryFn: ({ signal }) => preview(api, body, signal),
    gcTime: 0,
  });
  return (
    <section aria-label={label} aria-busy={shown.isPending} className={styles['preview']}>
      {shown.isPending && <Skeleton height="4em" />}
      {shown.isError && (
        <ErrorBox message={messageOf(shown.error, t('community.previewFailed'))} onRetry={() => void shown.refetch()} />
      )}
      {shown.data && <RichHtml html={shown.data.data.html} />}
    </section>
  );
}
