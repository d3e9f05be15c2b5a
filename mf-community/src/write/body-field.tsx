import { useState, type KeyboardEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { POST_BODY_MAX } from '@alpenglow/domain/contracts';
import { Button, Field, QueryError, RichHtml, Skeleton, TextArea, useApi } from '@alpenglow/ui';
import { previewMarkdown } from '../api/requests.ts';
import { useText } from '../text.ts';
import { formatRemainingLength } from './remaining-length.ts';
import styles from './write.module.css';

export interface BodyFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
  /** Called when the member presses Ctrl+Enter or ⌘+Enter. */
  readonly onSend: () => void;
}

/** A field for the Markdown text of a post, with a preview. */
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
        <Field label={label} error={error} hint={formatRemainingLength(t, value, POST_BODY_MAX)}>
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
          {(['bold', 'list', 'quote', 'link'] as const).map((kind) => (
            <li key={kind}>{t(`community.formatting.${kind}`)}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}

function Preview({ body, label }: { readonly body: string; readonly label: string }) {
  const t = useText();
  const api = useApi();
  const previewQuery = useQuery({
    queryKey: ['community-preview', body],
    queryFn: ({ signal }) => previewMarkdown(api, body, signal),
    gcTime: 0,
  });
  return (
    <section aria-label={label} aria-busy={previewQuery.isPending} className={styles['preview']}>
      {previewQuery.isPending && <Skeleton height="4em" />}
      {previewQuery.isError && <QueryError query={previewQuery} text={t('community.previewFailed')} />}
      {previewQuery.data && <RichHtml html={previewQuery.data.data.html} />}
    </section>
  );
}
