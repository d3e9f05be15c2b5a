import { useId, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ARTICLE_BODY_MAX } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, Field, messageOf, RichHtml, TextArea, useApi } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { useText } from '../text.ts';
import { previewQuery } from './calls.ts';
import { useDebounced } from './use-debounced.ts';
import { useIsWide } from './use-is-wide.ts';
import styles from './body-field.module.css';

const PREVIEW_DELAY_ms = 400;

export interface BodyFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

/** The article's text in Markdown, with a look at how it will be shown: beside it where there is room, else in its place. */
export function BodyField({ value, error, onChange }: BodyFieldProps) {
  const t = useText();
  const previewId = useId();
  const isWide = useIsWide();
  const [isPreview, setPreview] = useState(false);
  const isWriting = isWide || !isPreview;
  return (
    <div className={styles['body']}>
      {!isWide && (
        <div role="group" aria-label={t('blog.body')} className={styles['tabs']}>
          <Button size="small" variant="quiet" aria-pressed={!isPreview} onClick={() => setPreview(false)}>
            {t('blog.write')}
          </Button>
          <Button size="small" variant="quiet" aria-pressed={isPreview} onClick={() => setPreview(true)}>
            {t('blog.preview')}
          </Button>
        </div>
      )}
      {isWriting && (
        <Field label={t('blog.body')} hint={t('blog.bodyHint')} error={error}>
          <TextArea
            required
            rows={20}
            maxLength={ARTICLE_BODY_MAX}
            className={styles['text']}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        </Field>
      )}
      {(isWide || isPreview) && (
        <section aria-labelledby={previewId} className={styles['preview']}>
          <h2 id={previewId}>{t('blog.preview')}</h2>
          <Preview text={value} />
        </section>
      )}
    </div>
  );
}

function Preview({ text }: { readonly text: string }) {
  const t = useText();
  const api = useApi();
  const rested = useDebounced(text.trim(), PREVIEW_DELAY_ms);
  const preview = useQuery({ ...previewQuery(api, rested), enabled: rested !== '', placeholderData: keepPreviousData });
  if (rested === '') return <p className={styles['nothing']}>{t('blog.previewEmpty')}</p>;
  return (
    <>
      {preview.isError && (
        <ErrorBox message={messageOf(preview.error, t('blog.previewFailed'))} onRetry={() => void preview.refetch()} />
      )}
      {preview.isPending && <Loading height="8rem" />}
      {preview.data !== undefined && <RichHtml html={preview.data} />}
    </>
  );
}
